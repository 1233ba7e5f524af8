#include "model/fabric.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/range.h"

/* Kawabata's units (KES), in which textile laboratories publish. */
#define GF_CM2_PER_CM     9.80665e-5f /* N m, bending rigidity B */
#define GF_PER_CM_DEGREE  56.1880f    /* N/m, shear rigidity G */
#define MG_PER_CM2        0.01f       /* kg/m^2, weight W */
#define MM                1e-3f       /* m, thickness T0 at 0.5 gf/cm^2 */
#define MOMME             4.340e-3f   /* kg/m^2, how silk is sold */
#define OUNCE_PER_SQ_YARD 33.906e-3f  /* kg/m^2, how denim is sold */

typedef struct preset {
    const char *name;
    toile_fabric fabric;
} preset;

/* Each number is measured, derived from measurements, or an estimate: docs/fabrics.md says which,
 * how far to trust it, and which sources were read only as others quote them.
 *
 * Stretch is the secant modulus at 5 gf/cm (4.9 N/m), the weight of one to seven metres of hanging
 * cloth and the lowest load at which FAST reads extension. KES publishes the extension EMT at 500
 * gf/cm and the linearity LT of the curve up to there. A curve F = k e^p has LT = 2 / (p + 1), so
 * that
 *
 *     stretch = 490.3 N/m / EMT * 100^(LT / (2 - LT) - 1).
 *
 * Damping is an estimate throughout: cloth loses energy by friction between its yarns, not by
 * viscosity, so no test gives a Kelvin-Voigt time. 0.5 to 3 ms calms waves of a few centimetres
 * within some periods and leaves the swing of a garment to the air. The limit is about the
 * extension of the weft at 100 gf/cm, a strong pull in wear, kept between 3 and 5 % for wovens.
 * Friction is that on dry skin; only cotton's was found measured. */
static const preset presets[] = {
    /* Shirting, plain weave. W, T0 and B: "cotton broad" of Matsudaira, Masuda, Wada & Yokura 2015,
     * Shape factor of flared skirts, J. Textile Eng. 61(6), table 1. Stretch: EMT 2.29 %, mean of
     * both directions, of a cotton of 158 g/m^2 (Tadesse et al. 2018, Materials 11(12) 2466), split
     * 1 : 1.5, and LT 0.70; split and LT are assumed. G: geometric middle of the 0.5 to 3
     * gf/(cm degree) that KES finds in cottons. Friction: Temel, Johnson & Lloyd 2022, Tribology
     * Letters 70(1), dorsal forearm: 0.31 static, 0.25 dynamic. */
    {"cotton",
     {.density = 12.38f * MG_PER_CM2,
      .stretch = {3200.0f, 2100.0f},
      .shear = 1.22f * GF_PER_CM_DEGREE,
      .bend = 0.118f * GF_CM2_PER_CM,
      .damping = 1e-3f,
      .friction = 0.3f,
      .thickness = 0.497f * MM,
      .limit = 0.03f}},

    /* Crepe of 16 momme. Bend: 10th percentile of the 17 fabrics of 0.06 to 0.08 kg/m^2 among the
     * cantilever tests of Feng, Huang, Xu & Wang 2022, Learning-based bending stiffness parameter
     * estimation by a drape tester, ACM TOG 41(6), data set; silk is at the limp end (drape
     * coefficients of 20 to 40 %: Matsudaira & Yang 2003, Textile Res. J. 73(3)). The rest is
     * estimated: EMT 4 and 6 %, LT 0.65, G 0.3 gf/(cm degree), T0 that of light filament weaves. */
    {"silk",
     {.density = 16.0f * MOMME,
      .stretch = {1100.0f, 750.0f},
      .shear = 0.3f * GF_PER_CM_DEGREE,
      .bend = 2.0e-6f,
      .damping = 0.5e-3f,
      .friction = 0.25f,
      .thickness = 0.17f * MM,
      .limit = 0.03f}},

    /* Jeans of 12 oz. EMT 5.21 %, LT 0.70, G and T0: means over the six denims of Kumari & Khurana
     * 2016, Regenerated cellulose-based denim fabric, J. Textiles 4614168, table 5; EMT split 1 :
     * 1.5 as for cotton. Their B is that of blends made to be soft, so bend is the 95th percentile
     * of the 25 fabrics of 0.36 to 0.45 kg/m^2 in Feng et al. 2022. */
    {"denim",
     {.density = 12.0f * OUNCE_PER_SQ_YARD,
      .stretch = {1400.0f, 940.0f},
      .shear = 1.96f * GF_PER_CM_DEGREE,
      .bend = 8.4e-5f,
      .damping = 1.5e-3f,
      .friction = 0.4f,
      .thickness = 0.99f * MM,
      .limit = 0.03f}},

    /* Suiting, plain weave. W, T0 and B: "wool tropical" of Matsudaira et al. 2015, table 1.
     * Stretch and shear: middle of the zone of good men's suitings in Fan, Yu & Hunter 2004,
     * table 1.12: EMT 4.3 to 5.1 % and 7.5 to 18 %, LT 0.50 to 0.60, G 0.50 to 0.65 gf/(cm degree).
     */
    {"wool",
     {.density = 16.29f * MG_PER_CM2,
      .stretch = {600.0f, 240.0f},
      .shear = 0.575f * GF_PER_CM_DEGREE,
      .bend = 0.067f * GF_CM2_PER_CM,
      .damping = 1.5e-3f,
      .friction = 0.35f,
      .thickness = 0.407f * MM,
      .limit = 0.05f}},

    /* Sheep nappa for garments. Thickness: 0.64 to 0.96 mm in Memon, Chaklie, Yesuf & Zhu 2021,
     * Drapability of sheep garment leather, Materials 14(16) 4553; 0.8 to 1.1 mm in Lange, Niven &
     * Laing 2001, J. SLTC 85, who found it heavier, stiffer and more extensible than suitings. The
     * rest is estimated. Density: 0.65 g/cm^3. Bend: the stiffest of the 8 fabrics of 0.5 to 0.7
     * kg/m^2 in Feng et al. 2022. Leather is a solid sheet, not a weave, so that bend gives stretch
     * and shear as in a plate: stretch = 12 bend / thickness^2, shear = stretch / (2 (1 + 0.4)). */
    {"leather",
     {.density = 0.585f,
      .stretch = {2000.0f, 2000.0f},
      .shear = 700.0f,
      .bend = 1.33e-4f,
      .damping = 3e-3f,
      .friction = 0.5f,
      .thickness = 0.9f * MM,
      .limit = 0.05f}},

    /* T-shirt cotton, single jersey, wales along u. Bend: 10th percentile of the 22 fabrics of 0.13
     * to 0.17 kg/m^2 in Feng et al. 2022, knits being the limp ones. The rest is estimated: no
     * low-load test of a jersey was found. Stretch is of the order of the knits of Wang, O'Brien &
     * Ramamoorthi 2011, Data-driven elastic models for cloth, ACM TOG 30(4), and twice as large
     * along the wales as across them. */
    {"jersey",
     {.density = 0.147f,
      .stretch = {100.0f, 50.0f},
      .shear = 0.5f * GF_PER_CM_DEGREE,
      .bend = 3.0e-6f,
      .damping = 2e-3f,
      .friction = 0.35f,
      .thickness = 0.6f * MM,
      .limit = 0.12f}},
};

enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

/* The ranges of toile.h. */
#define FIELD(name, unit, low, high)                                                               \
    { "fabric " #name, unit, offsetof(toile_fabric, name), RANGE_FLOAT, low, high }
static const range ranges[] = {
    FIELD(density, " kg/m^2", (double)0.001f, 100.0),
    FIELD(stretch[0], " N/m", (double)0.1f, 1e7),
    FIELD(stretch[1], " N/m", (double)0.1f, 1e7),
    FIELD(shear, " N/m", 0.0, 1e7),
    FIELD(bend, " N m", 0.0, 10.0),
    FIELD(damping, " s", 0.0, 1.0),
    FIELD(friction, "", 0.0, 10.0),
    FIELD(thickness, " m", 0.0, (double)0.1f),
    FIELD(limit, "", (double)0.001f, 10.0),
    FIELD(curvature[0], " 1/m", -1000.0, 1000.0),
    FIELD(curvature[1], " 1/m", -1000.0, 1000.0),
    {0},
};
#undef FIELD

toile_result fabric_check(const toile_fabric *fabric) {
    return range_check(fabric, ranges);
}

toile_fabric toile_fabric_named(const char *name) {
    TOILE_ASSERT(name);
    for (int i = 0; i < PRESET_COUNT; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return presets[i].fabric;
        }
    }
    char names[256];
    size_t used = 0;
    for (int i = 0; i < PRESET_COUNT && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 presets[i].name);
    }
    error_set(TOILE_ERROR_INVALID, "there is no fabric '%.64s': expected one of %s", name, names);
    return (toile_fabric){0};
}

int toile_fabric_count(void) {
    return PRESET_COUNT;
}

const char *toile_fabric_name(int index) {
    return index >= 0 && index < PRESET_COUNT ? presets[index].name : NULL;
}
