#include "render/picture.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

#include "base/error.h"
#include "io/file.h"

/* libpng reports errors by a jump; the message waits here meanwhile. */
typedef struct png_failure {
    jmp_buf jump;
    char message[256];
} png_failure;

static void on_error(png_structp png, png_const_charp message) {
    png_failure *failure = png_get_error_ptr(png);
    snprintf(failure->message, sizeof failure->message, "%s", message);
    longjmp(failure->jump, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* All that may jump. No local of it is needed after a jump. */
static void write_rows(png_structp png, png_infop info, FILE *stream, int width, int height,
                       const uint8_t *rgb) {
    png_init_io(png, stream);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) {
        png_write_row(png, rgb + 3 * (size_t)width * (size_t)y);
    }
    png_write_end(png, info);
}

static toile_result write_stream(const char *path, FILE *stream, int width, int height,
                                 const uint8_t *rgb) {
    png_failure failure = {.message = "not enough memory"};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool written = false;
    if (info && setjmp(failure.jump) == 0) {
        write_rows(png, info, stream, width, height, rgb);
        written = true;
    }
    png_destroy_write_struct(&png, &info);
    return written ? TOILE_OK
                   : error_set(TOILE_ERROR_INVALID, "cannot write '%s': %s", path, failure.message);
}

toile_result picture_write_png(const char *path, int width, int height, const uint8_t *rgb) {
    file_writer *writer;
    toile_result result = file_create(path, &writer);
    if (result != TOILE_OK) {
        return result;
    }
    result = write_stream(path, file_stream(writer), width, height, rgb);
    /* Where the stream failed, committing knows the reason. */
    if (result != TOILE_OK && !ferror(file_stream(writer))) {
        file_discard(writer);
        return result;
    }
    return file_commit(writer);
}
