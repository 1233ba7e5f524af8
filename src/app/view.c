/* toile view: a window to play in. */
#include "view/viewer.h"

#include <stdio.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "base/error.h"
#include "io/json.h"

static toile_result read_size(const char *text, int size[2]) {
    char rest;
    if (text && (sscanf(text, "%dx%d%c", &size[0], &size[1], &rest) != 2 || size[0] < 64 ||
                 size[0] > 8192 || size[1] < 64 || size[1] > 8192)) {
        return error_set(TOILE_ERROR_INVALID,
                         "view: --size: expected WIDTHxHEIGHT from 64 to 8192, such as 1280x720, "
                         "found '%s'",
                         make_printable(text).text);
    }
    return TOILE_OK;
}

static int view(int argc, char *argv[]) {
    viewer_def def = {.size = {1280, 800}, .ended = interrupt_asked};
    const char *size = NULL;
    bool no_vsync = false;
    const option_spec specs[] = {
        {.name = "device", .text = &def.device},
        {.name = "threads", .number = &def.threads, .low = 0, .high = 1024},
        {.name = "size", .text = &size},
        {.name = "no-vsync", .flag = &no_vsync},
        {.name = "paused", .flag = &def.paused},
        {.name = "verbose", .flag = &def.verbose},
        {0},
    };
    toile_result result = options_parse(argc, argv, specs, "a scene file", &def.path);
    if (result == TOILE_OK && def.device) {
        result = device_check(def.device);
    }
    if (result == TOILE_OK) {
        result = read_size(size, def.size);
    }
    if (result == TOILE_OK) {
        interrupt_watch();
        def.vsync = !no_vsync;
        result = viewer_run(&def);
    }
    return command_end(result);
}

const command view_command = {
    .name = "view",
    .summary = "open a window and play with the cloth of a scene",
    .help =
        "usage: toile view SCENE.json [options]\n"
        "\n"
        "Simulates a scene in a window. Pull the cloth with the left mouse button; F1 lists what\n"
        "else keys and mouse do. Other scenes can be dropped on the window. Nothing is written\n"
        "but the pictures that F12 asks for, to the current folder.\n"
        "\n"
        "  --device NAME      auto, cpu, gl, gl-fragment or cuda; default: as the scene\n"
        "                     says\n"
        "  --threads N        0, the default, means all there are\n"
        "  --size WxH         of the window; default 1280x800\n"
        "  --no-vsync         draw as often as possible, not once a refresh of the screen\n"
        "  --paused           wait for the space bar\n"
        "  --verbose          say on the standard output what happens\n",
    .run = view,
};
