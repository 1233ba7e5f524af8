#include "app/earlier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/path.h"
#include "base/error.h"
#include "io/file.h"

/* ---- folders ------------------------------------------------------------------------------------
 */

static toile_result cannot(const char *verb, const char *path) {
    return error_set(TOILE_ERROR_INVALID, "cannot %s '%s': %s", verb, path, strerror(errno));
}

/* What is below a run's folder is its own: a link might lead anywhere. */
static toile_result check_folder(const char *path, int rights) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return TOILE_OK; /* nothing is in it */
    }
    if (!S_ISDIR(status.st_mode)) {
        return error_set(TOILE_ERROR_INVALID,
                         "'%s' is in the way of the run: expected a folder; move it, or choose "
                         "another folder with -o",
                         path);
    }
    bool free = faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0;
    return free ? TOILE_OK : cannot("write to", path);
}

/* All folders on the way to a file. */
static toile_result check_folders(const char *folder, const char *name, int rights) {
    toile_result result = TOILE_OK;
    for (const char *slash = strchr(name, '/'); slash && result == TOILE_OK;
         slash = strchr(slash + 1, '/')) {
        char *path;
        result = path_format(&path, "%s/%.*s", folder, (int)(slash - name), name);
        if (result == TOILE_OK) {
            result = check_folder(path, rights);
            free(path);
        }
    }
    return result;
}

static size_t folder_length(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

/* Files of a folder mostly follow each other. */
static bool is_in_same_folder(const char *a, const char *b) {
    size_t length = folder_length(a);
    return folder_length(b) == length && strncmp(a, b, length) == 0;
}

toile_result earlier_check_folder(const char *folder, const char *name, bool writable) {
    char *path;
    toile_result result = path_format(&path, "%s/%s", folder, name);
    if (result == TOILE_OK) {
        result = check_folder(path, writable ? W_OK | X_OK : F_OK);
        free(path);
    }
    return result;
}

toile_result earlier_check(written *w) {
    const char *last = "";
    bool found = false;
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < written_count(w) && result == TOILE_OK; i++) {
        const char *name = written_name(w, i);
        bool ours = written_look(w, name) == WRITTEN_OURS;
        if (ours && !is_in_same_folder(name, last)) {
            result = check_folders(written_folder(w), name, W_OK | X_OK);
            last = name;
        }
        found = found || ours;
    }
    if (result == TOILE_OK && found) {
        result = earlier_check_folder(written_folder(w), EARLIER, true);
    }
    return result;
}

/* ---- moving -------------------------------------------------------------------------------------
 */

/* The next number that is free; or the one that a run was killed over. */
static toile_result make_place(written *w, char **out) {
    const char *folder = written_folder(w);
    char *above;
    toile_result result = path_format(&above, "%s/" EARLIER, folder);
    if (result == TOILE_OK) {
        result = file_make_folder(above);
        free(above);
    }
    for (int number = written_aside(w) ? written_aside(w) : 1; result == TOILE_OK; number++) {
        result = path_format(out, "%s/" EARLIER "/%d", folder, number);
        if (result != TOILE_OK) {
            break;
        }
        if (mkdir(*out, 0777) == 0 || (errno == EEXIST && number == written_aside(w))) {
            result = number == written_aside(w) ? TOILE_OK : written_set_aside(w, number);
            break;
        }
        if (errno != EEXIST) {
            result = cannot("make folder", *out);
        }
        free(*out);
        *out = NULL;
    }
    return result;
}

static toile_result make_folder_of(const char *path) {
    char *folder;
    toile_result result = path_format(&folder, "%.*s", (int)folder_length(path), path);
    if (result == TOILE_OK) {
        result = file_make_folder(folder);
        free(folder);
    }
    return result;
}

static toile_result move(const char *from_folder, const char *to_folder, const char *name,
                         bool copy) {
    char *from = NULL, *to = NULL;
    toile_result result = path_format(&from, "%s/%s", from_folder, name);
    if (result == TOILE_OK) {
        result = path_format(&to, "%s/%s", to_folder, name);
    }
    if (result == TOILE_OK) {
        result = make_folder_of(to);
    }
    if (result == TOILE_OK && copy) {
        result = file_copy(from, to, SIZE_MAX / 4);
    } else if (result == TOILE_OK && rename(from, to) != 0) {
        result = cannot("move", from);
    }
    free(from);
    free(to);
    return result;
}

/* Those before the item that could not be moved go back. */
static void move_back(written *w, size_t end, const char *place, written_stays *stays, void *user) {
    for (size_t i = end; i-- > 0;) {
        const char *name = written_name(w, i);
        if (written_look(w, name) == WRITTEN_OURS && !stays(name, user)) {
            move(place, written_folder(w), name, false);
        }
    }
}

static toile_result move_files(written *w, const char *place, written_stays *stays, void *user) {
    for (size_t i = 0; i < written_count(w); i++) {
        const char *name = written_name(w, i);
        if (written_look(w, name) != WRITTEN_OURS) {
            continue;
        }
        toile_result result = move(written_folder(w), place, name, stays(name, user));
        if (result != TOILE_OK) {
            char message[1024];
            snprintf(message, sizeof message, "%s", toile_error_message());
            move_back(w, i, place, stays, user);
            return error_set(result, "%s", message);
        }
    }
    for (size_t i = 0; i < written_count(w); i++) {
        written_remove_folders(w, written_name(w, i));
    }
    return TOILE_OK;
}

static bool has_ours(written *w) {
    bool found = false;
    for (size_t i = 0; i < written_count(w) && !found; i++) {
        found = written_look(w, written_name(w, i)) == WRITTEN_OURS;
    }
    return found;
}

toile_result earlier_move(written *w, written_stays *stays, void *user) {
    char *place = NULL, *list = NULL;
    bool wanted = has_ours(w) || written_aside(w) > 0; /* only the list may be left to move */
    toile_result result = wanted ? make_place(w, &place) : TOILE_OK;
    if (result == TOILE_OK && place) {
        result = move_files(w, place, stays, user);
    }
    if (result == TOILE_OK && place) {
        result = path_format(&list, "%s/" WRITTEN_LIST, place);
    }
    if (result == TOILE_OK) {
        result = written_restart(w, list, stays, user);
    }
    free(list);
    free(place);
    return result;
}

/* ---- removing -----------------------------------------------------------------------------------
 */

typedef toile_result treatment(const char *folder, const char *name, void *user);

/* Does that to what is in a folder; where there is no such folder, to nothing. */
static toile_result treat_entries(const char *folder, treatment *treat, void *user) {
    DIR *entries = opendir(folder);
    toile_result result = TOILE_OK;
    for (struct dirent *e; entries && result == TOILE_OK && (e = readdir(entries));) {
        result = treat(folder, e->d_name, user);
    }
    if (entries) {
        closedir(entries);
    }
    return result;
}

static toile_result remove_listed(const char *folder) {
    written *w;
    char *list = NULL;
    toile_result result = written_open(folder, &w);
    if (result != TOILE_OK) {
        return result == TOILE_ERROR_MEMORY ? result : TOILE_OK; /* no list of a run */
    }
    for (size_t i = 0; i < written_count(w) && result == TOILE_OK; i++) {
        const char *name = written_name(w, i);
        if (check_folders(folder, name, F_OK) == TOILE_OK &&
            written_look(w, name) == WRITTEN_OURS) {
            result = written_remove(w, name);
        }
    }
    written_close(w);
    if (result == TOILE_OK) {
        result = path_format(&list, "%s/" WRITTEN_LIST, folder);
    }
    if (result == TOILE_OK) {
        unlink(list);
        rmdir(folder); /* unless something is in it */
    }
    free(list);
    return result;
}

static toile_result remove_numbered(const char *folder, const char *name, void *user) {
    (void)user;
    char *path;
    if (!*name || name[strspn(name, "0123456789")]) {
        return TOILE_OK;
    }
    toile_result result = path_format(&path, "%s/%s", folder, name);
    if (result == TOILE_OK) {
        result = remove_listed(path);
        free(path);
    }
    return result;
}

toile_result earlier_remove(const char *folder) {
    char *path;
    toile_result result = path_format(&path, "%s/" EARLIER, folder);
    if (result == TOILE_OK && check_folder(path, F_OK) == TOILE_OK) {
        result = treat_entries(path, remove_numbered, NULL);
        rmdir(path);
    }
    free(path);
    return result;
}

bool earlier_is_there(const char *folder) {
    char *path;
    bool there = false;
    if (path_format(&path, "%s/" EARLIER, folder) == TOILE_OK) {
        there = path_is_folder(path);
        free(path);
    }
    return there;
}

/* ---- temporary files ----------------------------------------------------------------------------
 */

/* "report.json.tmp-123-0", as files are called while they are written, to "report.json". */
static bool cut_temporary(char *text) {
    static const char mark[] = ".tmp-", digits[] = "0123456789";
    char *at = strstr(text, mark);
    for (char *next = at; next; next = strstr(next + 1, mark)) {
        at = next;
    }
    if (!at) {
        return false;
    }
    const char *process = at + strlen(mark);
    const char *dash = process + strspn(process, digits);
    if (dash == process || *dash != '-' || !dash[1] || dash[1 + strspn(dash + 1, digits)]) {
        return false;
    }
    *at = '\0';
    return true;
}

typedef struct sweep {
    written *files;
    const char *below; /* "obj/", of the folder that is swept */
} sweep;

static toile_result remove_temporary(const char *folder, const char *name, void *user) {
    const sweep *s = user;
    char *whole, *path;
    toile_result result = path_format(&whole, "%s%s", s->below, name);
    if (result != TOILE_OK) {
        return result;
    }
    if (cut_temporary(whole) &&
        (written_lists(s->files, whole) || strcmp(whole, WRITTEN_LIST) == 0)) {
        result = path_format(&path, "%s/%s", folder, name);
        if (result == TOILE_OK) {
            unlink(path);
            free(path);
        }
    }
    free(whole);
    return result;
}

static toile_result sweep_folder(written *w, const char *name) {
    size_t length = folder_length(name);
    char *below = NULL, *path = NULL;
    toile_result result = path_format(&below, "%.*s%s", (int)length, name, length ? "/" : "");
    if (result == TOILE_OK) {
        result = path_format(&path, "%s/%s", written_folder(w), below);
    }
    if (result == TOILE_OK && check_folders(written_folder(w), name, F_OK) == TOILE_OK) {
        sweep s = {w, below};
        result = treat_entries(path, remove_temporary, &s);
    }
    free(below);
    free(path);
    return result;
}

toile_result earlier_remove_temporaries(written *w) {
    const char *last = "";
    toile_result result = sweep_folder(w, "");
    for (size_t i = 0; i < written_count(w) && result == TOILE_OK; i++) {
        const char *name = written_name(w, i);
        if (!is_in_same_folder(name, last)) {
            result = sweep_folder(w, name);
        }
        last = name;
    }
    return result;
}
