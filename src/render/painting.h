/* A frame on its way to a picture: its surfaces, and what casts shadows, as ranges of one
 * geometry. */
#ifndef TOILE_RENDER_PAINTING_H
#define TOILE_RENDER_PAINTING_H

#include "render/coarse.h"
#include "render/drape.h"
#include "render/draw.h"
#include "render/geometry.h"
#include "render/light.h"

/* The shape of bodies, as they are seen and, coarser, as they cast shadows, and of cloths that have
 * cast shadows. */
typedef struct body_shapes {
    cut_sphere seen, caster;
    coarse_store cloths;
    drape_store drapes; /* of cloths that are taken from texels */
} body_shapes;

toile_result body_shapes_make(body_shapes *shapes);
void body_shapes_free(body_shapes *shapes); /* zeroed is fine */

typedef enum surface_kind {
    SURFACE_CLOTH,
    SURFACE_BODY,
    SURFACE_FLOOR,
    SURFACE_SHADOWED_FLOOR, /* the part of a floor where shadows of the softbox can fall */
    SURFACE_KINDS
} surface_kind;

typedef struct surface {
    surface_kind kind;
    int number; /* of a floor */
    float blur; /* m, of the dome's shadows on a floor */
    geometry_range range;
    const drape *drape; /* in place of the range; NULL: none */
    float color[3];
    bool tinted; /* colours of its vertices are shown instead */
} surface;

typedef struct painting {
    const draw_frame *frame;
    draw_bounds shown;
    v3 middle; /* of what is shown */
    float radius;
    studio studio;
    surface *surfaces;
    size_t surface_count;
    int floor_count;
    geometry_range key_casters, dome_casters;
} painting;

/* Times the radius of what is shown that floors and walls reach: far enough for walls to end at the
 * horizon. */
extern const float FLOOR_REACH;

/* Puts a frame into the geometry. key_detail and dome_detail are the size, in metres, below which
 * casters are simplified for the maps of these lights. On error there is nothing to free. */
toile_result painting_make(painting *p, const draw_frame *frame, body_shapes *shapes,
                           float key_detail, float dome_detail, geometry *g);
void painting_free(painting *p);

#endif
