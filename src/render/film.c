#include "render/film.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

enum {
    BUFFER_SIZE = 65536,
    BITS_PER_PIXEL_PERCENT = 15, /* of encoders that know a bit rate but no constant quality */
};

/* libx264's scale of constant quality: 18 is taken for visually lossless. */
static const char CONSTANT_QUALITY[] = "18";

/* A place in the scratch file. The muxer writes at one and, to move the index to the front, reads
 * at another. */
typedef struct scratch_place {
    int descriptor;
    int64_t offset;
} scratch_place;

struct film {
    char *path;
    file_writer *writer;
    /* The muxer goes back in what it wrote, and reads it, which a file_writer cannot do: the film
     * grows in a file without a name that is copied in the end. */
    FILE *scratch;
    AVFormatContext *muxer;
    AVCodecContext *encoder;
    AVStream *stream;
    struct SwsContext *converter;
    AVFrame *frame;
    AVPacket *packet;
};

/* ---- the scratch file ---------------------------------------------------------------------------
 */

static int scratch_read(void *opaque, uint8_t *bytes, int size) {
    scratch_place *place = opaque;
    ssize_t n = pread(place->descriptor, bytes, (size_t)size, place->offset);
    if (n < 0) {
        return AVERROR(errno);
    }
    place->offset += n;
    return n == 0 ? AVERROR_EOF : (int)n;
}

static int scratch_write(void *opaque, uint8_t *bytes, int size) {
    scratch_place *place = opaque;
    for (int done = 0; done < size;) {
        ssize_t n = pwrite(place->descriptor, bytes + done, (size_t)(size - done), place->offset);
        if (n <= 0) {
            return AVERROR(n < 0 ? errno : ENOSPC);
        }
        done += (int)n;
        place->offset += n;
    }
    return size;
}

static int64_t scratch_seek(void *opaque, int64_t offset, int whence) {
    scratch_place *place = opaque;
    off_t end = lseek(place->descriptor, 0, SEEK_END);
    if (whence == AVSEEK_SIZE || end < 0) {
        return end;
    }
    if (whence == SEEK_CUR) {
        offset += place->offset;
    } else if (whence == SEEK_END) {
        offset += end;
    }
    place->offset = offset;
    return offset;
}

static int scratch_open(FILE *scratch, bool writing, AVIOContext **out) {
    scratch_place *place = calloc(1, sizeof *place);
    uint8_t *buffer = av_malloc(BUFFER_SIZE);
    AVIOContext *io = NULL;
    if (place && buffer) {
        place->descriptor = fileno(scratch);
        io = avio_alloc_context(buffer, BUFFER_SIZE, writing, place, scratch_read, scratch_write,
                                scratch_seek);
    }
    if (!io) {
        free(place);
        av_free(buffer);
        return AVERROR(ENOMEM);
    }
    *out = io;
    return 0;
}

static void scratch_close(AVIOContext **io) {
    if (*io) {
        free((*io)->opaque);
        av_freep(&(*io)->buffer);
        avio_context_free(io);
    }
}

/* What the muxer calls to read back what it wrote. */
static int on_open(AVFormatContext *muxer, AVIOContext **io, const char *url, int flags,
                   AVDictionary **options) {
    (void)url;
    (void)options;
    film *f = muxer->opaque;
    return scratch_open(f->scratch, flags & AVIO_FLAG_WRITE, io);
}

static int on_close(AVFormatContext *muxer, AVIOContext *io) {
    (void)muxer;
    scratch_close(&io);
    return 0;
}

/* ---- opening ------------------------------------------------------------------------------------
 */

static toile_result failed(const film *f, int error) {
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(error, reason, sizeof reason);
    toile_result result = error == AVERROR(ENOMEM) ? TOILE_ERROR_MEMORY : TOILE_ERROR_INVALID;
    return error_set(result, "cannot write '%s': %s", f->path, reason);
}

static const AVCodec *find_encoder(void) {
    const AVCodec *best = avcodec_find_encoder_by_name("libx264");
    return best ? best : avcodec_find_encoder(AV_CODEC_ID_H264);
}

static toile_result open_encoder(film *f, int width, int height, AVRational frame_time) {
    const AVCodec *codec = find_encoder();
    if (!codec) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "cannot write '%s': libav has no H.264 encoder here", f->path);
    }
    AVCodecContext *encoder = f->encoder = avcodec_alloc_context3(codec);
    if (!encoder) {
        return failed(f, AVERROR(ENOMEM));
    }
    encoder->width = width;
    encoder->height = height;
    encoder->time_base = frame_time;
    encoder->framerate = av_inv_q(frame_time);
    encoder->pix_fmt = AV_PIX_FMT_YUV420P;
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->colorspace = AVCOL_SPC_BT709;
    encoder->color_primaries = AVCOL_PRI_BT709;
    encoder->color_trc = AVCOL_TRC_BT709;
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER; /* MP4 keeps the parameters once */
    if (av_opt_set(encoder->priv_data, "crf", CONSTANT_QUALITY, 0) < 0) {
        double pixels_per_second = (double)width * height * av_q2d(encoder->framerate);
        encoder->bit_rate = (int64_t)(pixels_per_second * BITS_PER_PIXEL_PERCENT / 100.0);
    }
    int error = avcodec_open2(encoder, codec, NULL);
    return error < 0 ? failed(f, error) : TOILE_OK;
}

static toile_result open_muxer(film *f) {
    int error = avformat_alloc_output_context2(&f->muxer, NULL, "mp4", NULL);
    if (error < 0) {
        return failed(f, error);
    }
    f->muxer->opaque = f;
    f->muxer->io_open = on_open;
    f->muxer->io_close2 = on_close;
    f->stream = avformat_new_stream(f->muxer, NULL);
    if (!f->stream) {
        return failed(f, AVERROR(ENOMEM));
    }
    f->stream->time_base = f->encoder->time_base;
    f->stream->avg_frame_rate = f->encoder->framerate;
    error = avcodec_parameters_from_context(f->stream->codecpar, f->encoder);
    if (error >= 0) {
        error = scratch_open(f->scratch, true, &f->muxer->pb);
    }
    if (error >= 0) {
        AVDictionary *options = NULL;
        av_dict_set(&options, "movflags", "+faststart", 0);
        error = avformat_write_header(f->muxer, &options);
        av_dict_free(&options);
    }
    return error < 0 ? failed(f, error) : TOILE_OK;
}

static toile_result open_frame(film *f) {
    const AVCodecContext *encoder = f->encoder;
    f->packet = av_packet_alloc();
    f->frame = av_frame_alloc();
    f->converter = sws_getContext(
        encoder->width, encoder->height, AV_PIX_FMT_RGB24, encoder->width, encoder->height,
        encoder->pix_fmt, SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, NULL, NULL, NULL);
    if (!f->packet || !f->frame || !f->converter) {
        return failed(f, AVERROR(ENOMEM));
    }
    const int *from = sws_getCoefficients(SWS_CS_DEFAULT);
    const int *to = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(f->converter, from, 1, to, 0, 0, 1 << 16, 1 << 16);
    f->frame->format = encoder->pix_fmt;
    f->frame->width = encoder->width;
    f->frame->height = encoder->height;
    f->frame->pts = 0;
    f->frame->color_range = encoder->color_range;
    f->frame->pts = 0; /* libav begins with "unknown" */
    int error = av_frame_get_buffer(f->frame, 0);
    return error < 0 ? failed(f, error) : TOILE_OK;
}

static void film_free(film *f) {
    sws_freeContext(f->converter);
    av_frame_free(&f->frame);
    av_packet_free(&f->packet);
    avcodec_free_context(&f->encoder);
    if (f->muxer) {
        scratch_close(&f->muxer->pb);
        avformat_free_context(f->muxer);
    }
    if (f->scratch) {
        fclose(f->scratch);
    }
    file_discard(f->writer);
    free(f->path);
    free(f);
}

static toile_result check_format(const char *path, int width, int height, double frame_time) {
    if (width < 2 || height < 2 || width % 2 != 0 || height % 2 != 0) {
        return error_set(
            TOILE_ERROR_INVALID,
            "cannot write '%s': a film of %d x %d pixels; width and height must be even", path,
            width, height);
    }
    if (!(frame_time >= 1e-4 && frame_time <= 10.0)) {
        return error_set(TOILE_ERROR_INVALID,
                         "cannot write '%s': %g seconds a frame; a film can have 0.0001 to 10",
                         path, frame_time);
    }
    return TOILE_OK;
}

static toile_result film_start(film *f, const char *path, int width, int height,
                               double frame_time) {
    f->path = memory_string(path);
    if (!f->path) {
        return TOILE_ERROR_MEMORY;
    }
    toile_result result =
        file_create(path, &f->writer); /* first: a bad path is found before an hour of work */
    if (result != TOILE_OK) {
        return result;
    }
    /* What libav has to say comes back as our errors; muxers have no switch of their own. */
    av_log_set_level(AV_LOG_FATAL);
    f->scratch = tmpfile();
    if (!f->scratch) {
        return failed(f, AVERROR(errno));
    }
    result = open_encoder(f, width, height, av_d2q(frame_time, 100000));
    if (result == TOILE_OK) {
        result = open_muxer(f);
    }
    return result == TOILE_OK ? open_frame(f) : result;
}

toile_result film_open(const char *path, int width, int height, double frame_time, film **out) {
    toile_result result = check_format(path, width, height, frame_time);
    if (result != TOILE_OK) {
        return result;
    }
    film *f = memory_alloc(1, sizeof *f, "a film");
    if (!f) {
        return TOILE_ERROR_MEMORY;
    }
    result = film_start(f, path, width, height, frame_time);
    if (result != TOILE_OK) {
        film_free(f);
        return result;
    }
    *out = f;
    return TOILE_OK;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

/* Gives the encoder a frame, or NULL for the end, and the muxer all packets that come of it. */
static int encode(film *f, const AVFrame *frame) {
    int error = avcodec_send_frame(f->encoder, frame);
    while (error >= 0) {
        error = avcodec_receive_packet(f->encoder, f->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) {
            return 0;
        }
        if (error >= 0) {
            f->packet->duration = 1;
            f->packet->stream_index = f->stream->index;
            av_packet_rescale_ts(f->packet, f->encoder->time_base, f->stream->time_base);
            error = av_interleaved_write_frame(f->muxer, f->packet);
        }
    }
    return error;
}

toile_result film_append(film *f, const uint8_t *rgb) {
    int error = av_frame_make_writable(f->frame);
    if (error >= 0) {
        const uint8_t *rows[] = {rgb};
        int stride[] = {3 * f->encoder->width};
        sws_scale(f->converter, rows, stride, 0, f->encoder->height, f->frame->data,
                  f->frame->linesize);
        error = encode(f, f->frame);
        f->frame->pts++;
    }
    return error < 0 ? failed(f, error) : TOILE_OK;
}

static toile_result copy_scratch(film *f) {
    char block[BUFFER_SIZE];
    FILE *out = file_stream(f->writer);
    rewind(f->scratch);
    size_t n;
    while ((n = fread(block, 1, sizeof block, f->scratch)) > 0) {
        if (fwrite(block, 1, n, out) != n) {
            break; /* file_commit says why */
        }
    }
    return ferror(f->scratch) ? failed(f, AVERROR(EIO)) : TOILE_OK;
}

toile_result film_close(film *f) {
    int error = encode(f, NULL);
    if (error >= 0) {
        error = av_write_trailer(f->muxer);
    }
    if (error >= 0) {
        avio_flush(f->muxer->pb);
        error = f->muxer->pb->error;
    }
    toile_result result = error < 0 ? failed(f, error) : copy_scratch(f);
    if (result == TOILE_OK) {
        result = file_commit(f->writer);
        f->writer = NULL;
    }
    film_free(f);
    return result;
}

void film_discard(film *f) {
    if (f) {
        film_free(f);
    }
}
