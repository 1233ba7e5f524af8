#include "io/gltf_uri.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/file.h"

enum { LONGEST_NAME = 1024 };

/* ---- data ---------------------------------------------------------------------------------------
 */

bool gltf_uri_is_data(const char *uri) {
    return strncasecmp(uri, "data:", 5) == 0;
}

/* -1: no digit of base64. */
static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* RFC 4648, section 4: whole groups of four, padded, and no bits left over. Returns the number of
 * bytes, or SIZE_MAX when it is something else. */
static size_t decode_base64(const char *text, size_t length, uint8_t *out) {
    if (length % 4 != 0) {
        return SIZE_MAX;
    }
    size_t padding = length == 0               ? 0
                     : text[length - 1] != '=' ? 0
                     : text[length - 2] != '=' ? 1
                                               : 2;
    size_t digits = length - padding, used = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[used++] = (uint8_t)(bits >> held);
            bits &= (1u << held) - 1;
        }
    }
    return bits == 0 ? used : SIZE_MAX;
}

toile_result gltf_uri_get_data(const node *at, const char *uri, uint8_t **bytes, size_t *size) {
    static const char mark[] = ";base64";
    const char *comma = strchr(uri, ',');
    size_t length = sizeof mark - 1;
    if (!comma || (size_t)(comma - uri) < length || memcmp(comma - length, mark, length) != 0) {
        return node_error(at, "expected data:...;base64, in front of the data of a buffer");
    }
    size_t digits = strlen(comma + 1);
    uint8_t *decoded = malloc(digits / 4 * 3 + 1);
    if (!decoded) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the %zu bytes of a buffer",
                         digits / 4 * 3);
    }
    *size = decode_base64(comma + 1, digits, decoded);
    if (*size == SIZE_MAX) {
        free(decoded);
        return node_error(at, "expected base64: letters, digits, + and /, in groups of four, the "
                              "last filled up with =");
    }
    *bytes = decoded;
    return TOILE_OK;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* False: a % without two digits behind it, or a zero byte. */
static bool decode_percent(const char *uri, char *out) {
    for (; *uri; uri++) {
        int c = (unsigned char)*uri;
        if (c == '%') {
            int high = hex_value(uri[1]), low = high < 0 ? -1 : hex_value(uri[2]);
            c = low < 0 ? 0 : 16 * high + low;
            uri += low < 0 ? 0 : 2;
        }
        if (c == 0) {
            return false;
        }
        *out++ = (char)c;
    }
    *out = '\0';
    return true;
}

/* RFC 3986, section 3.1: "http:", "file:", but also the drive "C:". */
static bool has_scheme(const char *name) {
    size_t part = strcspn(name, "/");
    return memchr(name, ':', part) != NULL;
}

toile_result gltf_uri_get_name(const node *at, const char *uri, char **name) {
    char *decoded = malloc(strlen(uri) + 1);
    if (!decoded) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the name of a buffer");
    }
    const char *wrong = NULL;
    if (!decode_percent(uri, decoded)) {
        wrong = "expected two hexadecimal digits, not 00, behind each %";
    } else if (!*decoded || strlen(decoded) > LONGEST_NAME || has_control_characters(decoded) ||
               *decoded == '/' || strchr(decoded, '\\') || has_scheme(decoded) ||
               file_climbs(decoded)) {
        wrong = "expected data:, or the name of a file in the folder of this one or below: "
                "relative, without \"..\", \"\\\" or \":\"";
    }
    if (wrong) {
        free(decoded);
        return node_error(at, "%s, found \"%s\"", wrong, make_printable(uri).text);
    }
    *name = decoded;
    return TOILE_OK;
}

toile_result gltf_uri_find_file(const node *at, const char *folder, const char *name, char **path) {
    char *joined;
    if (asprintf(&joined, "%s/%s", folder, name) < 0) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the name of a buffer");
    }
    char *found = realpath(joined, NULL);
    int error = errno;
    free(joined);
    printable shown = make_printable(name);
    struct stat status;
    if (!found || stat(found, &status) != 0) {
        error = found ? errno : error;
        free(found);
        return node_error(at, "cannot read '%s': %s", shown.text, strerror(error));
    }
    const char *wrong = !S_ISREG(status.st_mode)       ? "is no plain file"
                        : !file_lies_in(found, folder) ? "leads out of the folder of this file"
                                                       : NULL;
    if (wrong) {
        free(found);
        return node_error(at, "'%s' %s", shown.text, wrong);
    }
    *path = found;
    return TOILE_OK;
}
