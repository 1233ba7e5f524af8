#include "view/font.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* What is written: European names of files, and signs of our own. */
static const struct {
    uint32_t first, last;
} LETTERS[] = {{0x20, 0x7E}, {0xA0, 0x17F}, {0x2010, 0x2026}, {0x2190, 0x2193}};

enum { IMAGE_WIDTH = 512, GAP = 1 };

/* Lines are this much farther apart than the font has them: what is written are tables. */
static const float LEADING = 1.15f;

/* ---- finding a font -----------------------------------------------------------------------------
 */

static toile_result open_face(FT_Library library, FT_Face *face) {
    FcPattern *wish = FcNameParse((const FcChar8 *)"sans-serif:scalable=true");
    FcConfigSubstitute(NULL, wish, FcMatchPattern);
    FcDefaultSubstitute(wish);
    FcResult found;
    FcPattern *match = FcFontMatch(NULL, wish, &found);
    FcChar8 *path;
    int index = 0;
    bool opened = match && FcPatternGetString(match, FC_FILE, 0, &path) == FcResultMatch;
    if (opened) {
        FcPatternGetInteger(match, FC_INDEX, 0, &index);
        opened = FT_New_Face(library, (const char *)path, index, face) == 0;
    }
    if (match) {
        FcPatternDestroy(match);
    }
    FcPatternDestroy(wish);
    FcFini(); /* nobody else here asks for fonts */
    return opened ? TOILE_OK
                  : error_set(TOILE_ERROR_UNAVAILABLE,
                              "no font to write with: expected one that fontconfig finds (on "
                              "Debian, fonts-dejavu-core)");
}

/* ---- drawing the letters ------------------------------------------------------------------------
 */

/* Where the next glyph goes: from left to right, line by line. */
typedef struct setting {
    int x, y, tallest;
    int capacity; /* rows of the image */
} setting;

static bool make_room(font *f, setting *s, int width, int height) {
    if (s->x + width + GAP > IMAGE_WIDTH) {
        s->x = GAP;
        s->y += s->tallest + GAP;
        s->tallest = 0;
    }
    int rows = s->y + height + GAP;
    if (rows > s->capacity) {
        uint8_t *pixels = realloc(f->pixels, (size_t)(2 * rows) * IMAGE_WIDTH);
        if (!pixels) {
            return false;
        }
        memset(pixels + (size_t)s->capacity * IMAGE_WIDTH, 0,
               (size_t)(2 * rows - s->capacity) * IMAGE_WIDTH);
        f->pixels = pixels;
        s->capacity = 2 * rows;
    }
    f->height = rows > f->height ? rows : f->height;
    s->tallest = height > s->tallest ? height : s->tallest;
    return true;
}

static bool add_glyph(font *f, setting *s, FT_Face face, uint32_t letter) {
    if (FT_Get_Char_Index(face, letter) == 0 ||
        FT_Load_Char(face, letter, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0) {
        return true; /* the font lacks it */
    }
    FT_GlyphSlot slot = face->glyph;
    int width = (int)slot->bitmap.width, height = (int)slot->bitmap.rows;
    if (!make_room(f, s, width, height)) {
        return false;
    }
    for (int row = 0; row < height; row++) {
        memcpy(f->pixels + (size_t)(s->y + row) * IMAGE_WIDTH + (size_t)s->x,
               slot->bitmap.buffer + (ptrdiff_t)row * slot->bitmap.pitch, (size_t)width);
    }
    f->glyphs[f->count++] = (glyph){.letter = letter,
                                    .x = s->x,
                                    .y = s->y,
                                    .width = width,
                                    .height = height,
                                    .left = slot->bitmap_left,
                                    .top = slot->bitmap_top,
                                    .advance = (float)slot->advance.x / 64.0f};
    s->x += width + GAP;
    return true;
}

static toile_result draw_letters(font *f, FT_Face face) {
    size_t most = 0, ranges = sizeof LETTERS / sizeof *LETTERS;
    for (size_t i = 0; i < ranges; i++) {
        most += LETTERS[i].last - LETTERS[i].first + 1;
    }
    f->glyphs = memory_alloc(most, sizeof *f->glyphs, "letters");
    f->width = IMAGE_WIDTH;
    bool complete = f->glyphs;
    setting s = {.x = GAP, .y = GAP};
    for (size_t i = 0; i < ranges; i++) {
        for (uint32_t letter = LETTERS[i].first; letter <= LETTERS[i].last && complete; letter++) {
            complete = add_glyph(f, &s, face, letter);
        }
    }
    return complete && f->count > 0
               ? TOILE_OK
               : error_set(TOILE_ERROR_MEMORY, "not enough memory for the letters of a font");
}

toile_result font_make(font *f, float size) {
    *f = (font){0};
    FT_Library library;
    if (FT_Init_FreeType(&library) != 0) {
        return error_set(TOILE_ERROR_UNAVAILABLE, "FreeType cannot be started");
    }
    FT_Face face = NULL;
    toile_result result = open_face(library, &face);
    if (face) {
        FT_Set_Char_Size(face, 0, (FT_F26Dot6)(size * 64.0f), 72, 72);
        f->ascent = (float)face->size->metrics.ascender / 64.0f;
        f->line = roundf(LEADING * (float)face->size->metrics.height / 64.0f);
        result = draw_letters(f, face);
        FT_Done_Face(face);
    }
    FT_Done_FreeType(library);
    if (result != TOILE_OK) {
        font_free(f);
    }
    return result;
}

void font_free(font *f) {
    free(f->glyphs);
    free(f->pixels);
    *f = (font){0};
}

/* ---- texts --------------------------------------------------------------------------------------
 */

uint32_t text_next(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    if (*at == 0) {
        return 0;
    }
    int more = *at < 0x80 ? 0 : *at >= 0xF0 ? 3 : *at >= 0xE0 ? 2 : *at >= 0xC0 ? 1 : -1;
    uint32_t letter = more == 0 ? *at : more > 0 ? *at & (0x3Fu >> more) : 0xFFFD;
    at++;
    for (; more > 0; more--, at++) {
        if ((*at & 0xC0) != 0x80) {
            letter = 0xFFFD;
            break;
        }
        letter = letter << 6 | (*at & 0x3Fu);
    }
    *text = (const char *)at;
    return letter;
}

static int compare_letters(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = ((const glyph *)b)->letter;
    return x < y ? -1 : x > y;
}

const glyph *font_glyph(const font *f, uint32_t letter) {
    const glyph *found =
        bsearch(&letter, f->glyphs, (size_t)f->count, sizeof *f->glyphs, compare_letters);
    if (found) {
        return found;
    }
    return letter == '?' ? &f->glyphs[0] : font_glyph(f, '?');
}

float font_width(const font *f, const char *text) {
    float width = 0.0f;
    for (uint32_t letter; (letter = text_next(&text)) != 0;) {
        width += font_glyph(f, letter)->advance;
    }
    return width;
}
