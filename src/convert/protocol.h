/* What `toile convert` and the program that it starts agree on.
 *
 *     toile-convert INPUT SCALE UP      an empty SCALE or UP: as the file says
 *
 * The program writes the .glb file to a descriptor, or, when it ends with another status than
 * CONVERTER_DONE, one sentence that says why there is none. */
#ifndef TOILE_CONVERT_PROTOCOL_H
#define TOILE_CONVERT_PROTOCOL_H

#define CONVERTER_PROGRAM "toile-convert"

enum { CONVERTER_DESCRIPTOR = 3 };

enum converter_status {
    CONVERTER_DONE = 0,
    CONVERTER_MISTAKE = 2, /* of the file */
    CONVERTER_MEMORY = 4,  /* is not enough */
};

#endif
