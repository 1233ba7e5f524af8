/* The presets are what their sources say, and nothing else is let through. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/fabric.h"
#include "toile/toile.h"

/* Peirce's bending length c = (B / W)^(1/3) in centimetres, where cantilever tests put such cloth:
 * 90 % of the 251 different fabrics of Feng et al. 2022 are between 1.2 and 3.0 cm, and only 2 of
 * the 66 over 0.28 kg/m^2 beyond. The upper ends leave room for raw denim and cowhide. */
static const struct {
    const char *name;
    double shortest, longest;
} bending_lengths[] = {
    {"silk", 1.0, 2.0},   {"jersey", 1.0, 1.5}, {"wool", 1.5, 2.5},
    {"cotton", 1.5, 2.5}, {"denim", 2.5, 4.5},  {"leather", 2.5, 6.0},
};
enum { BENDING_LENGTHS = sizeof bending_lengths / sizeof bending_lengths[0] };

static void assert_near(double value, double expected, double relative) {
    if (!(fabs(value / expected - 1.0) <= relative)) {
        fail_msg("%.9g, expected %.9g within %g of it", value, expected, relative);
    }
}

static double bending_length(const char *name) {
    toile_fabric fabric = toile_fabric_named(name);
    return 100.0 * cbrt((double)fabric.bend / ((double)fabric.density * 9.81));
}

static void test_bending_lengths(void **state) {
    (void)state;
    assert_int_equal(toile_fabric_count(), BENDING_LENGTHS); /* a new preset gets a row */
    for (int i = 0; i < BENDING_LENGTHS; i++) {
        double c = bending_length(bending_lengths[i].name);
        if (!(c >= bending_lengths[i].shortest && c <= bending_lengths[i].longest)) {
            fail_msg("%s: bending length %g cm, expected %g to %g", bending_lengths[i].name, c,
                     bending_lengths[i].shortest, bending_lengths[i].longest);
        }
    }
    assert_true(bending_length("silk") < bending_length("cotton"));
    assert_true(bending_length("cotton") < bending_length("denim"));
}

/* Secant modulus at 5 gf/cm of a curve F = k e^p through EMT at 500 gf/cm, found by integrating the
 * curve for its linearity instead of by the formula in fabric.c. */
static double secant_modulus(double emt, double linearity) {
    const double maximum = 490.3325; /* N/m */
    double low = 1.0, high = 10.0;   /* LT falls as p rises */
    for (int i = 0; i < 60; i++) {
        double p = 0.5 * (low + high), work = 0.0;
        const int slices = 2000;
        for (int j = 0; j < slices; j++) {
            work += maximum * pow((j + 0.5) / slices, p) * emt / slices;
        }
        *(work / (0.5 * maximum * emt) > linearity ? &low : &high) = p;
    }
    double load = maximum / 100.0;
    return load / (emt * pow(load / maximum, 1.0 / low));
}

static void test_stretch_follows_from_kes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double emt[2], linearity;
    } measured[] = {
        {"cotton", {0.01832, 0.02748}, 0.70}, /* mean 2.29 %, 1 : 1.5 */
        {"silk", {0.04, 0.06}, 0.65},
        {"denim", {0.04168, 0.06252}, 0.70}, /* mean 5.21 %, 1 : 1.5 */
        {"wool", {0.047, 0.1162}, 0.55},     /* geometric middle of 7.5 and 18 % */
    };
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        toile_fabric fabric = toile_fabric_named(measured[i].name);
        for (int thread = 0; thread < 2; thread++) {
            /* presets are rounded to two digits */
            assert_near((double)fabric.stretch[thread],
                        secant_modulus(measured[i].emt[thread], measured[i].linearity), 0.03);
        }
    }
    toile_fabric leather = toile_fabric_named("leather"); /* a plate */
    assert_near((double)leather.stretch[0],
                12.0 * (double)leather.bend / pow((double)leather.thickness, 2.0), 0.03);
}

/* 1 gf = 9.80665 mN, worked out here from B, G, W and T0 as the sources print them. */
static void test_units(void **state) {
    (void)state;
    const double gf = 9.80665e-3, cm = 1e-2, degree = acos(-1.0) / 180.0;
    toile_fabric cotton = toile_fabric_named("cotton");
    assert_near((double)cotton.bend, 0.118 * gf * cm * cm / cm, 1e-5);
    assert_near((double)cotton.density, 12.38e-6 / (cm * cm), 1e-5);
    assert_near((double)cotton.thickness, 0.497e-3, 1e-5);
    toile_fabric denim = toile_fabric_named("denim");
    assert_near((double)denim.shear, 1.96 * gf / (cm * degree), 1e-5);
    assert_near((double)denim.density, 12 * 28.349523e-3 / (0.9144 * 0.9144), 1e-4);
    toile_fabric silk = toile_fabric_named("silk"); /* 1 momme: pounds of 100 yd by 45 in */
    assert_near((double)silk.density, 16 * 0.45359237 / (91.44 * 45 * 0.0254), 1e-4);
}

static void test_presets_are_valid(void **state) {
    (void)state;
    for (int i = 0; i < toile_fabric_count(); i++) {
        toile_fabric fabric = toile_fabric_named(toile_fabric_name(i));
        assert_int_equal(fabric_check(&fabric), TOILE_OK);
        /* along the weft, which has more crimp, cloth gives at least as much */
        assert_true(fabric.stretch[0] >= fabric.stretch[1]);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(toile_fabric_name(i), toile_fabric_name(j));
        }
    }
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(toile_fabric_name(0), "cotton");
    assert_null(toile_fabric_name(-1));
    assert_null(toile_fabric_name(toile_fabric_count()));

    toile_fabric fabric = toile_fabric_named("Cotton");
    assert_memory_equal(&fabric, &(toile_fabric){0}, sizeof fabric);
    assert_string_equal(toile_error_message(),
                        "there is no fabric 'Cotton': expected one of cotton, "
                        "silk, denim, wool, leather, jersey");
    assert_int_equal(fabric_check(&fabric), TOILE_ERROR_INVALID);
}

/* toile.h, field by field. */
static const struct {
    const char *name;
    size_t offset;
    float low, high;
} ranges[] = {
    {"density", offsetof(toile_fabric, density), 0.001f, 100.0f},
    {"stretch[0]", offsetof(toile_fabric, stretch), 0.1f, 1e7f},
    {"stretch[1]", offsetof(toile_fabric, stretch) + sizeof(float), 0.1f, 1e7f},
    {"shear", offsetof(toile_fabric, shear), 0.0f, 1e7f},
    {"bend", offsetof(toile_fabric, bend), 0.0f, 10.0f},
    {"damping", offsetof(toile_fabric, damping), 0.0f, 1.0f},
    {"friction", offsetof(toile_fabric, friction), 0.0f, 10.0f},
    {"thickness", offsetof(toile_fabric, thickness), 0.0f, 0.1f},
    {"limit", offsetof(toile_fabric, limit), 0.001f, 10.0f},
    {"curvature[0]", offsetof(toile_fabric, curvature), -1000.0f, 1000.0f},
    {"curvature[1]", offsetof(toile_fabric, curvature) + sizeof(float), -1000.0f, 1000.0f},
};

static toile_result check_with(size_t offset, float value) {
    toile_fabric fabric = toile_fabric_named("cotton");
    memcpy((char *)&fabric + offset, &value, sizeof value);
    return fabric_check(&fabric);
}

static void test_ranges(void **state) {
    (void)state;
    assert_int_equal(sizeof(toile_fabric), sizeof ranges / sizeof ranges[0] * sizeof(float));
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        size_t offset = ranges[i].offset;
        assert_int_equal(check_with(offset, ranges[i].low), TOILE_OK);
        assert_int_equal(check_with(offset, ranges[i].high), TOILE_OK);
        const float bad[] = {nextafterf(ranges[i].low, -INFINITY),
                             nextafterf(ranges[i].high, INFINITY),
                             -INFINITY,
                             INFINITY,
                             NAN,
                             -NAN};
        for (size_t j = 0; j < sizeof bad / sizeof bad[0]; j++) {
            assert_int_equal(check_with(offset, bad[j]), TOILE_ERROR_INVALID);
            assert_non_null(strstr(toile_error_message(), ranges[i].name));
        }
    }
}

static void test_messages(void **state) {
    (void)state;
    check_with(offsetof(toile_fabric, density), -0.25f);
    assert_string_equal(toile_error_message(),
                        "fabric density is -0.25 kg/m^2: expected 0.001 to 100 kg/m^2");
    check_with(offsetof(toile_fabric, limit), NAN);
    assert_string_equal(toile_error_message(), "fabric limit is nan: expected 0.001 to 10");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bending_lengths), cmocka_unit_test(test_stretch_follows_from_kes),
        cmocka_unit_test(test_units),           cmocka_unit_test(test_presets_are_valid),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
