#version 430 core
/* Tiles of a large level: broader, since what is around them is work, too. */
#include "gl/blocks.h"

const int COLUMNS = BROAD_COLUMNS, ROWS = BROAD_ROWS, ITERATIONS = BROAD_ITERATIONS;
const int THREADS = BROAD_THREADS;

layout(local_size_x = BROAD_THREADS) in;

#include "gl/shaders/relax_tile.glsl"
