/* Numbers that programs of refinement and their shaders share: C and GLSL. */
#ifndef TOILE_GL_REFINE_UNITS_H
#define TOILE_GL_REFINE_UNITS_H

#define REFINE_BIND_NUMBERS 0 /* uniform block */

/* As REFINE_MOST_VIEWS, and room for REFINE_TREE_DEPTH. */
#define REFINE_VIEWS 13
#define REFINE_STACK 28

/* As refine_correction. */
#define REFINE_CHOICE_LEAVE   0
#define REFINE_CHOICE_IMAGE   1
#define REFINE_CHOICE_OBJECT  2
#define REFINE_CHOICE_HISTORY 3

#define REFINE_UNIT_POSITIONS 0
#define REFINE_UNIT_MARKS     1
#define REFINE_UNIT_LAYERS    2
#define REFINE_UNIT_PLACES    3
#define REFINE_UNIT_NODES     4
#define REFINE_UNIT_TRIANGLES 5
#define REFINE_UNIT_START     6
#define REFINE_UNIT_END       7
#define REFINE_UNIT_ROOTS     8
#define REFINE_UNIT_LAST      9
#define REFINE_UNIT_BEFORE    10
#define REFINE_UNITS          11

#endif
