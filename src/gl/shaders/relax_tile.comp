#version 430 core
/* Tiles of which a GPU has as many at once as there are: two iterations at a time. */
#include "gl/blocks.h"

const int COLUMNS = TILE_COLUMNS, ROWS = TILE_ROWS, ITERATIONS = TILE_ITERATIONS;
const int THREADS = TILE_THREADS;

layout(local_size_x = TILE_THREADS) in;

#include "gl/shaders/relax_tile.glsl"
