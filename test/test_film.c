/* PNG and MP4 files come back as they were written, or are refused and not there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <png.h>

#include "render/film.h"
#include "render/picture.h"
#include "scratch.h"

/* A picture in which no two neighbours are alike. */
static void fill(uint8_t *rgb, int width, int height, int phase) {
    for (int i = 0; i < width * height * 3; i++) {
        rgb[i] = (uint8_t)(i * 7 + i / 31 + 40 * phase);
    }
}

static void png_comes_back(void **state) {
    (void)state;
    enum { W = 37, H = 11 };
    uint8_t rgb[W * H * 3], back[W * H * 3];
    fill(rgb, W, H, 0);
    assert_int_equal(picture_write_png(scratch("a.png"), W, H, rgb), TOILE_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, scratch("a.png")));
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(rgb, back, sizeof rgb);
    assert_int_equal(scratch_count(), 1);
}

static void unwritable_png_is_refused(void **state) {
    (void)state;
    uint8_t rgb[64 * 64 * 3];
    fill(rgb, 64, 64, 0);
    assert_int_equal(picture_write_png(scratch("none/a.png"), 64, 64, rgb), TOILE_ERROR_INVALID);
    assert_message("none/a.png");
    scratch_put("old.png", "old", 3);
    scratch_limit_disk(100);
    toile_result result = picture_write_png(scratch("old.png"), 64, 64, rgb);
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("old.png");
    assert_message("File too large");
    struct stat status;
    assert_int_equal(stat(scratch("old.png"), &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(scratch_count(), 1);
}

enum { FILM_WIDTH = 64, FILM_HEIGHT = 48, FILM_FRAMES = 7 };

static film *open_film(const char *path) {
    film *f = NULL;
    toile_result result = film_open(path, FILM_WIDTH, FILM_HEIGHT, 1.0 / 60.0, &f);
    if (result == TOILE_ERROR_UNAVAILABLE) {
        print_message("skipped: %s\n", toile_error_message());
        skip();
    }
    if (result != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return f;
}

/* The place of a box's name in a file, or the file's length. */
static long find_box(const char *path, const char *name) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char last[5] = "";
    long at = 0;
    for (int c; (c = fgetc(file)) != EOF && strcmp(last, name) != 0; at++) {
        memmove(last, last + 1, 3);
        last[3] = (char)(c ? c : ' ');
    }
    fclose(file);
    return at;
}

static void film_can_be_played(void **state) {
    (void)state;
    film *f = open_film(scratch("a.mp4"));
    uint8_t rgb[FILM_WIDTH * FILM_HEIGHT * 3];
    for (int i = 0; i < FILM_FRAMES; i++) {
        memset(rgb, 30 * i, sizeof rgb);
        assert_int_equal(film_append(f, rgb), TOILE_OK);
    }
    assert_int_equal(film_close(f), TOILE_OK);
    assert_int_equal(scratch_count(), 1);
    /* The index comes first, so that a browser plays while it loads. */
    assert_true(find_box(scratch("a.mp4"), "moov") < find_box(scratch("a.mp4"), "mdat"));

    AVFormatContext *in = NULL;
    assert_int_equal(avformat_open_input(&in, scratch("a.mp4"), NULL, NULL), 0);
    assert_true(avformat_find_stream_info(in, NULL) >= 0);
    assert_int_equal(in->nb_streams, 1);
    const AVCodecParameters *codec = in->streams[0]->codecpar;
    assert_int_equal(codec->codec_id, AV_CODEC_ID_H264);
    assert_int_equal(codec->format, AV_PIX_FMT_YUV420P);
    assert_int_equal(codec->width, FILM_WIDTH);
    assert_int_equal(codec->height, FILM_HEIGHT);
    assert_int_equal(in->streams[0]->nb_frames, FILM_FRAMES);
    assert_true(fabs(av_q2d(in->streams[0]->avg_frame_rate) - 60.0) < 0.01);
    assert_true(llabs(in->duration - AV_TIME_BASE * (int64_t)FILM_FRAMES / 60) <= 1000);
    avformat_close_input(&in);
}

/* The brightness of each frame survives, in its order. */
static void film_shows_its_frames(void **state) {
    (void)state;
    film *f = open_film(scratch("a.mp4"));
    uint8_t rgb[FILM_WIDTH * FILM_HEIGHT * 3];
    for (int i = 0; i < FILM_FRAMES; i++) {
        memset(rgb, 30 * i + 20, sizeof rgb);
        assert_int_equal(film_append(f, rgb), TOILE_OK);
    }
    assert_int_equal(film_close(f), TOILE_OK);

    AVFormatContext *in = NULL;
    assert_int_equal(avformat_open_input(&in, scratch("a.mp4"), NULL, NULL), 0);
    AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    assert_true(avcodec_parameters_to_context(decoder, in->streams[0]->codecpar) >= 0);
    assert_int_equal(avcodec_open2(decoder, NULL, NULL), 0);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    int seen = 0;
    for (bool more = true; more;) {
        more = av_read_frame(in, packet) >= 0;
        assert_int_equal(avcodec_send_packet(decoder, more ? packet : NULL), 0);
        for (; avcodec_receive_frame(decoder, frame) == 0; seen++) {
            double luma = (frame->data[0][10 * frame->linesize[0] + 10] - 16.0) * 255.0 / 219.0;
            assert_true(fabs(luma - (30 * seen + 20)) < 5.0);
        }
        av_packet_unref(packet);
    }
    assert_int_equal(seen, FILM_FRAMES);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    avformat_close_input(&in);
}

static void bad_films_are_refused(void **state) {
    (void)state;
    film *f = NULL;
    const int sizes[][2] = {{63, 48}, {64, 47}, {0, 48}, {-2, 48}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(film_open(scratch("a.mp4"), sizes[i][0], sizes[i][1], 0.02, &f),
                         TOILE_ERROR_INVALID);
        assert_message("even");
    }
    const double times[] = {0.0, -1.0, NAN, 1e9};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(film_open(scratch("a.mp4"), 64, 48, times[i], &f), TOILE_ERROR_INVALID);
        assert_message("seconds a frame");
    }
    assert_int_equal(film_open(scratch("none/a.mp4"), 64, 48, 0.02, &f), TOILE_ERROR_INVALID);
    assert_message("none/a.mp4");
    assert_null(f);
    film_discard(NULL);
    film_discard(open_film(scratch("a.mp4")));
    assert_int_equal(scratch_count(), 0);
}

static void full_disk_leaves_no_film(void **state) {
    (void)state;
    uint8_t rgb[FILM_WIDTH * FILM_HEIGHT * 3];
    film *f = open_film(scratch("a.mp4"));
    scratch_limit_disk(3000);
    toile_result result = TOILE_OK;
    for (int i = 0; i < FILM_FRAMES && result == TOILE_OK; i++) {
        fill(rgb, FILM_WIDTH, FILM_HEIGHT, i);
        result = film_append(f, rgb);
    }
    if (result == TOILE_OK) {
        result = film_close(f);
    } else {
        film_discard(f);
    }
    scratch_unlimit_disk();
    assert_int_equal(result, TOILE_ERROR_INVALID);
    assert_message("a.mp4");
    assert_message("File too large");
    assert_int_equal(scratch_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(png_comes_back),        scratch_test(unwritable_png_is_refused),
        scratch_test(film_can_be_played),    scratch_test(film_shows_its_frames),
        scratch_test(bad_films_are_refused), scratch_test(full_disk_leaves_no_film),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
