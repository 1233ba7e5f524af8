/* How the textures of the fragment way are laid out. C and GLSL both read this file. */
#ifndef TOILE_GL_FRAGMENT_LAYOUT_H
#define TOILE_GL_FRAGMENT_LAYOUT_H

/* Absent texels around a cloth, on every side: a texel reads two further than itself. */
#define FRAGMENT_HALO 2

/* Texels of a row that are looked at together for which bodies they touch. */
#define TOUCH_BLOCK 32

/* The list of numbers goes on in the next row after so many; OpenGL 3.3 promises textures of 1024.
 */
#define NUMBERS_WIDTH 1024

/* In fours: of a substep by itself, of each shape, and of each pin in it. First the wind; then
 *     shapes: center kind, x-axis reflection, y-axis and z-axis size, velocity size, spin;
 *     pins: place, what is left of it, three columns of its turn, and the rates of place and turn.
 * Behind all substeps, a cloth and a body: distance, friction. */
#define MOMENT_NUMBERS 1
#define SHAPE_NUMBERS  6
#define PIN_NUMBERS    9

#endif
