/* Any bytes must be an OBJ mesh that is a body, or a sentence about what is wrong with them. The
 * distance of a point from a body is finite, and its direction a unit vector. Open ones can deform.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/crease.h"
#include "io/obj.h"
#include "io/weld.h"
#include "model/solid.h"
#include "model/winding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) {
        abort();
    }
}

static void check_distance(const solid *s, v3 p) {
    v4 hit = solid_distance(s, p, INFINITY);
    check(isfinite(hit.w));
    check(fabsf(hit.x * hit.x + hit.y * hit.y + hit.z * hit.z - 1.0f) < 1e-3f);
    v4 near = solid_distance(s, p, 0.5f * fabsf(hit.w));
    check(hit.w == 0.0f || isinf(near.w));
}

static void check_solid(const solid *s) {
    check(s->volume > 0.0);
    for (size_t i = 0; i < s->triangle_count && i < 100; i++) {
        const solid_face *f = &s->faces[i];
        v3 middle = v3_scale(v3_add(f->a, v3_add(f->b, f->c)), 1.0f / 3.0f);
        check_distance(s, f->a);
        check_distance(s, middle);
        check_distance(s, v3_add(middle, v3_scale(f->normal, 0.01f)));
        check_distance(s, v3_scale(middle, -3.0f));
    }
}

/* The same mesh as one that may be open, in the middle of a step in which it shrinks and moves. */
static void check_deforming(const toile_mesh_def *def) {
    solid s;
    if (solid_create_deforming(&s, def, true) != TOILE_OK) {
        check(strstr(toile_error_message(), "mesh: ") != NULL);
        return;
    }
    for (size_t i = 0; i < 3 * s.vertices; i++) {
        s.ends[i] = 0.5f * s.positions[i] + 1.0f;
    }
    solid_aim(&s);
    for (uint32_t i = 0; i < s.triangle_count && i < 100; i++) {
        v3 corner = solid_corners_at(&s, i, 0.5f).a;
        solid_touch on = solid_nearest(&s, corner, INFINITY, 0.5f, SOLID_NONE);
        solid_touch off = solid_nearest(&s, v3_scale(corner, -3.0f), INFINITY, 0.5f, i);
        check(on.face < s.triangle_count && fabsf(on.distance.w) <= 2.0f * s.grain);
        check(off.face < s.triangle_count && isfinite(off.distance.w));
        check(s.open || abs(solid_winding(&s, corner, 0.5f)) <= (int)s.triangle_count);
    }
    solid_arrive(&s);
    check(isfinite(solid_distance(&s, s.low, INFINITY).w));
    solid_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    mesh_data mesh, drawn;
    solid s;
    memcpy(text, data, size);
    text[size] = '\0';
    if (obj_parse(text, size, "fuzz.obj", &mesh) != TOILE_OK) {
        check(toile_error_message()[0] != '\0'); /* a refusal says why */
    } else {
        check(mesh_weld(&mesh) == TOILE_OK);
        toile_mesh_def def = {mesh.positions, mesh.vertices, mesh.indices, mesh.triangles};
        check_deforming(&def);
        if (solid_create(&s, &def) != TOILE_OK) {
            check(strstr(toile_error_message(), "mesh: ") != NULL);
        } else {
            check_solid(&s);
            check(mesh_make_creased(&def, &drawn) == TOILE_OK);
            mesh_free(&drawn);
            solid_free(&s);
        }
        mesh_free(&mesh);
    }
    free(text);
    return 0;
}
