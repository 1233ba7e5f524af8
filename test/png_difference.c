/* png_difference A.png B.png: prints how much two pictures of the same size differ, as the mean
 * over all bytes, 0 to 255. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits when it cannot. */
static unsigned char *read_picture(const char *path, png_image *image) {
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    unsigned char *bytes = NULL;
    if (png_image_begin_read_from_file(image, path)) {
        image->format = PNG_FORMAT_RGB;
        bytes = malloc(PNG_IMAGE_SIZE(*image));
    }
    if (!bytes || !png_image_finish_read(image, NULL, bytes, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image->message);
        exit(2);
    }
    return bytes;
}

int main(int argc, char *argv[]) {
    if (argc != 3) {
        fputs("usage: png_difference A.png B.png\n", stderr);
        return 2;
    }
    png_image a, b;
    unsigned char *first = read_picture(argv[1], &a), *second = read_picture(argv[2], &b);
    if (a.width != b.width || a.height != b.height) {
        fprintf(stderr, "%ux%u and %ux%u pixels\n", a.width, a.height, b.width, b.height);
        return 2;
    }
    double sum = 0.0;
    size_t size = PNG_IMAGE_SIZE(a);
    for (size_t i = 0; i < size; i++) {
        sum += abs(first[i] - second[i]);
    }
    printf("%.4f\n", sum / (double)size);
    free(first);
    free(second);
    return 0;
}
