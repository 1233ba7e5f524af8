/* What stands around the two chunks of a .glb file. */
#ifndef TOILE_IO_GLB_CHUNKS_H
#define TOILE_IO_GLB_CHUNKS_H

#include <stdint.h>
#include <stdio.h>

/* Bytes of a whole file. Those of the binary chunk are a multiple of 4. */
uint64_t glb_file_bytes(uint64_t json_bytes, uint64_t binary_bytes);

/* Written in front of the JSON text, and between it and the binary chunk. */
void glb_begin_json(FILE *stream, uint64_t json_bytes, uint64_t binary_bytes);
void glb_begin_binary(FILE *stream, uint64_t json_bytes, uint64_t binary_bytes);

#endif
