/* Between the triangles and the texels of a panel: Schmitt 2013 section 4. All of it happens in the
 * plane of the panel, in metres along u and v; the middle of a texel is its place.
 *
 * Sampling draws each triangle into the grid. So that texels whose cell the mesh only touches get a
 * value as well, the triangle grows a border at its outer edges (S2): each outer edge is shifted
 * outwards by half the diagonal of a cell that lies in the quadrant of its normal (Hasselgren 2005,
 * GPU Gems 2 chapter 42), and border vertices stand where shifted edges, or a shifted edge and the
 * line of an inner one, meet.
 *
 * Data of a border vertex x (S3): Schmitt goes from the inner vertex c through the outer edge ab to
 * x; s, on the edge, is interpolated from a and b, and x extrapolated from c and s. Both steps are
 * linear, so x gets what the one linear function through the data of a, b and c is at x, whichever
 * lines are drawn; and drawing the border triangle interpolates that function once more. All of
 * the border therefore carries the triangle's own linear function, and its weights at a texel are
 * the texel's barycentric coordinates, negative beyond an edge.
 *
 * Projection reads a square of four texels bilinearly (S4). Schmitt's EXTRAPOLATE(t0, t1, o, r, l)
 * has three cases for a square that had to be moved by o texels; all are t0 + f (t1 - t0) with f
 * the place of the vertex as seen from t0, in spacings: f = r - o. For o < 0, l = -o - 1, this is
 * his t1 + (l + r)(t1 - t0). For o > 0, l = o - 1, it is t0 - (l + (1 - r))(t1 - t0); the paper
 * prints t0 - (l - (1 - r))(t1 - t0), a misprint: with o = 1 that would answer beyond t0 on the
 * wrong side, between t0 and t1. */
#ifndef TOILE_KERNEL_MAPPING_H
#define TOILE_KERNEL_MAPPING_H

#include "kernel/vec.h"

/* ---- lines: x and y are a normal, not of length 1, and x u + y v + z is positive on its side ----
 */

/* Through a and b, with the normal on the right of the way from a to b: outwards for the edges of
 * a counter-clockwise triangle. */
KERNEL_FN v3 line_through(float a_u, float a_v, float b_u, float b_v) {
    float x = b_v - a_v, y = a_u - b_u;
    return v3_make(x, y, -(x * a_u + y * a_v));
}

/* Shifted along the diagonal of a cell `spacing` wide in the quadrant of the normal. How far that
 * is along the normal does not depend on which quadrant is taken when the normal is along an axis.
 */
KERNEL_FN v3 line_shift_by_cell(v3 line, float spacing) {
    return v3_make(line.x, line.y, line.z - 0.5f * spacing * (k_abs(line.x) + k_abs(line.y)));
}

KERNEL_FN float line_side(v3 line, float u, float v) {
    return line.x * u + line.y * v + line.z;
}

/* Where two lines meet, in x and y; z is 0 when they are parallel, and nothing else means anything
 * then. */
KERNEL_FN v3 line_meet(v3 a, v3 b) {
    float across = a.x * b.y - a.y * b.x;
    float inverse = 1.0f / k_select(across == 0.0f, 1.0f, across);
    return v3_make((a.y * b.z - a.z * b.y) * inverse, (a.z * b.x - a.x * b.z) * inverse, across);
}

/* ---- triangles ---------------------------------------------------------------------------------
 */

/* Weights of b and c in x and y, of a in z, at a place that is (u, v) from corner a; the other
 * corners are (b_u, b_v) and (c_u, c_v) from it. They sum to 1. */
KERNEL_FN v3 triangle_weights(float b_u, float b_v, float c_u, float c_v, float u, float v) {
    float inverse = 1.0f / (b_u * c_v - b_v * c_u);
    float b = (u * c_v - v * c_u) * inverse;
    float c = (b_u * v - b_v * u) * inverse;
    return v3_make(b, c, (1.0f - b) - c);
}

/* The value where the corners have those weights. Written as differences from a, so that the same
 * value at all corners comes out unchanged. */
KERNEL_FN v3 triangle_value(v3 a, v3 b, v3 c, float weight_b, float weight_c) {
    return v3_madd(v3_madd(a, v3_sub(b, a), weight_b), v3_sub(c, a), weight_c);
}

/* ---- squares of texels -------------------------------------------------------------------------
 */

/* The value at (u, v) spacings from the lower left one of four texels, inside the square or beyond
 * it. */
KERNEL_FN v3 square_value(v3 lower_left, v3 lower_right, v3 upper_left, v3 upper_right, float u,
                          float v) {
    v3 lower = v3_madd(lower_left, v3_sub(lower_right, lower_left), u);
    v3 upper = v3_madd(upper_left, v3_sub(upper_right, upper_left), u);
    return v3_madd(lower, v3_sub(upper, lower), v);
}

/* ---- normals (S12) -----------------------------------------------------------------------------
 */

/* Of length 1; upwards where there is no direction. */
KERNEL_FN v3 normal_unit(v3 n) {
    float length = k_sqrt(v3_dot(n, n));
    bool any = length > 0.0f;
    float divisor = k_select(any, length, 1.0f);
    return v3_select(any, v3_make(n.x / divisor, n.y / divisor, n.z / divisor),
                     v3_make(0.0f, 1.0f, 0.0f));
}

/* Of the surface at a texel: the cross product of the differences along u and v between its
 * neighbours. Where a yarn ends, the texel stands in for the neighbour. */
KERNEL_FN v3 texel_normal(v3 left, v3 right, v3 below, v3 above) {
    return normal_unit(v3_cross(v3_sub(right, left), v3_sub(above, below)));
}

#endif
