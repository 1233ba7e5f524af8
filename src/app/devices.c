#include "app/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "base/error.h"
#include "io/json.h"
#include "render/draw.h"

/* Devices of the design that this version does not have. */
static const char *const later_devices[] = {"gl", "gl-fragment", "cuda", NULL};
static const char later_reason[] = "not part of this version";

static int device_find(const char *name) {
    for (int i = 0; i < toile_device_count(); i++) {
        if (strcmp(toile_device_get_info(i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool is_later(const char *name) {
    for (int i = 0; later_devices[i]; i++) {
        if (strcmp(later_devices[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void list_available(char *list, size_t size) {
    size_t used = (size_t)snprintf(list, size, "auto");
    for (int i = 0; i < toile_device_count() && used < size; i++) {
        toile_device_info info = toile_device_get_info(i);
        if (info.available) {
            used += (size_t)snprintf(list + used, size - used, ", %s", info.name);
        }
    }
}

toile_result device_check(const char *name) {
    int index = device_find(name);
    bool automatic = strcmp(name, "auto") == 0;
    if (automatic || (index >= 0 && toile_device_get_info(index).available)) {
        return TOILE_OK;
    }
    char list[256];
    list_available(list, sizeof list);
    if (index >= 0) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "--device %s cannot be used here: %s; this machine has %s", name,
                         toile_device_get_info(index).reason, list);
    }
    if (is_later(name)) {
        return error_set(TOILE_ERROR_UNAVAILABLE, "--device %s is %s; this machine has %s", name,
                         later_reason, list);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "--device: expected auto, cpu, gl, gl-fragment or cuda, found '%s'",
                     make_printable(name).text);
}

const char *device_description(const char *name) {
    int index = device_find(name);
    return index >= 0 ? toile_device_get_info(index).description : name;
}

/* ---- toile devices ------------------------------------------------------------------------------
 */

/* Something that is there, or a reason why not. */
typedef void list_entry(void *list, const char *name, const char *description, const char *reason);

static void each_device(list_entry *entry, void *list) {
    for (int i = 0; i < toile_device_count(); i++) {
        toile_device_info info = toile_device_get_info(i);
        entry(list, info.name, info.description, info.available ? NULL : info.reason);
    }
    for (int i = 0; later_devices[i]; i++) {
        if (device_find(later_devices[i]) < 0) {
            entry(list, later_devices[i], "", later_reason);
        }
    }
}

static void describe_renderer(list_entry *entry, void *list) {
    drawer *d;
    if (drawer_open(16, 16, &d) == TOILE_OK) {
        entry(list, "renderer", drawer_description(d), NULL);
        drawer_close(d);
    } else {
        entry(list, "renderer", "", toile_error_message());
    }
}

static void print_entry(void *list, const char *name, const char *description, const char *reason) {
    fprintf(list, "%-13s%s%s\n", name, reason ? "not available: " : "",
            reason ? reason : description);
}

static json_t *entry_json(const char *name, const char *description, const char *reason) {
    return json_pack("{s:s, s:b, s:s, s:s}", "name", name, "available", !reason, "description",
                     description, "reason", reason ? reason : "");
}

static void append_entry(void *list, const char *name, const char *description,
                         const char *reason) {
    json_array_append_new(list, entry_json(name, description, reason));
}

static void set_entry(void *object, const char *name, const char *description, const char *reason) {
    json_object_set_new(object, name, entry_json(name, description, reason));
}

static void print_json(void) {
    json_t *whole = json_object(), *devices = json_array();
    each_device(append_entry, devices);
    json_object_set_new(whole, "devices", devices);
    describe_renderer(set_entry, whole);
    json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}

static int devices(int argc, char *argv[]) {
    bool json = false;
    const option_spec specs[] = {{.name = "json", .flag = &json}, {0}};
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    if (result == TOILE_OK && json) {
        print_json();
    } else if (result == TOILE_OK) {
        each_device(print_entry, stdout);
        describe_renderer(print_entry, stdout);
    }
    return command_end(result);
}

const command devices_command = {
    .name = "devices",
    .summary = "list where cloth can be simulated and what draws it",
    .help =
        "usage: toile devices [--json]\n"
        "\n"
        "Lists the devices, what draws pictures, and why one cannot be used here.\n"
        "\n"
        "  --json   as JSON: devices [{name, available, description, reason}], renderer {...}\n",
    .run = devices,
};
