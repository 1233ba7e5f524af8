/* Any bytes must be an OBJ mesh that comes apart into pieces of cloth, or a sentence about what is
 * wrong with them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/islands.h"
#include "io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) {
        abort();
    }
}

/* An island is closed, and lies in its box. */
static void check_island(const island *i) {
    check(i->outline.loop_count >= 1);
    for (int l = 0; l < i->outline.loop_count; l++) {
        const toile_loop *loop = &i->outline.loops[l];
        check(loop->curve_count >= 3);
        const float *end = loop->curves[loop->curve_count - 1].to;
        check(end[0] == loop->start[0] && end[1] == loop->start[1]);
    }
    for (size_t v = 0; v < 2 * (size_t)i->flat.vertex_count; v++) {
        check(i->flat.uv[v] >= 0.0f && i->flat.uv[v] <= i->size[v % 2]);
    }
    for (size_t k = 0; k < 3 * (size_t)i->flat.triangle_count; k++) {
        check(i->flat.indices[k] < i->flat.vertex_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    mesh_data mesh;
    islands all;
    memcpy(text, data, size);
    text[size] = '\0';
    if (obj_parse(text, size, "fuzz.obj", &mesh) != TOILE_OK) {
        check(toile_error_message()[0] != '\0'); /* a refusal says why */
    } else {
        islands_def def = {.limit = 100.0, .tolerance = size % 2 ? 1e-3 : 0.0};
        if (islands_create(&all, &mesh, &def, "fuzz.obj") != TOILE_OK) {
            check(strstr(toile_error_message(), "fuzz.obj") != NULL);
        } else {
            for (size_t i = 0; i < all.count; i++) {
                check_island(&all.items[i]);
            }
            islands_free(&all);
        }
        mesh_free(&mesh);
    }
    free(text);
    return 0;
}
