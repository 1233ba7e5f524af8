#include "io/mesh_read.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/file.h"
#include "io/gltf_check.h"
#include "io/json.h"
#include "io/obj.h"

/* What is read at most, as of OBJ files: a gigabyte, for a .gltf once more for its buffers. */
#define FILE_LIMIT   ((size_t)1 << 30)
#define CORNER_LIMIT ((size_t)1 << 28) /* vertices and corners of triangles */

/* ---- files for Assimp ---------------------------------------------------------------------------
 */

/* Assimp gets bytes, never a path to open: so there is a limit to what it reads, and it finds
 * nothing but what lies beside the file. */
typedef struct source {
    const char *path;
    uint8_t *bytes; /* of path */
    size_t size;
    size_t left; /* bytes that its buffers may still have */
} source;

typedef struct stream {
    uint8_t *owned; /* NULL: the bytes of the source */
    const uint8_t *bytes;
    size_t size, at;
} stream;

static size_t stream_read(struct aiFile *file, char *out, size_t size, size_t count) {
    stream *s = (stream *)file->UserData;
    size_t whole = size ? (s->size - s->at) / size : 0;
    count = count < whole ? count : whole;
    memcpy(out, s->bytes + s->at, count * size);
    s->at += count * size;
    return count;
}

static size_t stream_write(struct aiFile *file, const char *bytes, size_t size, size_t count) {
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t stream_tell(struct aiFile *file) {
    return ((const stream *)file->UserData)->at;
}

static size_t stream_size(struct aiFile *file) {
    return ((const stream *)file->UserData)->size;
}

static enum aiReturn stream_seek(struct aiFile *file, size_t offset, enum aiOrigin origin) {
    stream *s = (stream *)file->UserData;
    size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? s->at : s->size;
    size_t target = base + offset; /* wraps around for steps back */
    if (target > s->size) {
        return aiReturn_FAILURE;
    }
    s->at = target;
    return aiReturn_SUCCESS;
}

static void stream_flush(struct aiFile *file) {
    (void)file;
}

/* Whether a path that Assimp made lies in the folder of the file or below it. */
static bool is_beside(const source *s, const char *path) {
    const char *slash = strrchr(s->path, '/');
    size_t folder = slash ? (size_t)(slash - s->path) + 1 : 0;
    return strncmp(path, s->path, folder) == 0 && path[folder] != '/' &&
           !strstr(path + folder, "..");
}

/* What is no file may have no end, or make the reader wait. */
static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool stream_load(source *s, const char *path, stream *out) {
    if (strcmp(path, s->path) == 0) {
        *out = (stream){.bytes = s->bytes, .size = s->size};
        return true;
    }
    if (!is_beside(s, path) || !is_file(path) ||
        file_read(path, s->left, &out->owned, &out->size) != TOILE_OK) {
        return false;
    }
    s->left -= out->size;
    out->bytes = out->owned;
    return true;
}

static struct aiFile *open_stream(struct aiFileIO *io, const char *path, const char *mode) {
    if (strchr(mode, 'w')) {
        return NULL;
    }
    struct aiFile *file = calloc(1, sizeof *file);
    stream *s = calloc(1, sizeof *s);
    if (!file || !s || !stream_load((source *)io->UserData, path, s)) {
        free(file);
        free(s);
        return NULL;
    }
    *file = (struct aiFile){.ReadProc = stream_read,
                            .WriteProc = stream_write,
                            .TellProc = stream_tell,
                            .FileSizeProc = stream_size,
                            .SeekProc = stream_seek,
                            .FlushProc = stream_flush,
                            .UserData = (char *)s};
    return file;
}

static void close_stream(struct aiFileIO *io, struct aiFile *file) {
    (void)io;
    free(((stream *)file->UserData)->owned);
    free(file->UserData);
    free(file);
}

/* ---- glTF ---------------------------------------------------------------------------------------
 */

static toile_result bad_mesh(const source *s, const struct aiMesh *m, const char *what) {
    return error_set(TOILE_ERROR_FORMAT, "'%s': the mesh \"%s\" %s", s->path,
                     make_printable(m->mName.data).text, what);
}

static toile_result check_mesh(const source *s, const struct aiMesh *m, bool coordinates) {
    if ((m->mTextureCoords[0] != NULL) != coordinates) {
        return bad_mesh(s, m,
                        coordinates ? "has no texture coordinates: expected them as in others"
                                    : "has texture coordinates: expected none as in others");
    }
    for (unsigned f = 0; f < m->mNumFaces; f++) {
        const struct aiFace *face = &m->mFaces[f];
        if (face->mNumIndices != 3) {
            return bad_mesh(s, m, "is not made of triangles");
        }
        for (int k = 0; k < 3; k++) {
            if (face->mIndices[k] >= m->mNumVertices) {
                return bad_mesh(s, m, "has a triangle with a vertex that does not exist");
            }
        }
    }
    for (unsigned v = 0; v < m->mNumVertices; v++) {
        const struct aiVector3D *p = &m->mVertices[v];
        const struct aiVector3D *t = coordinates ? &m->mTextureCoords[0][v] : p;
        if (!isfinite(p->x) || !isfinite(p->y) || !isfinite(p->z) || !isfinite(t->x) ||
            !isfinite(t->y)) {
            return bad_mesh(s, m, "has a vertex that is not finite");
        }
    }
    return TOILE_OK;
}

static void append_mesh(const struct aiMesh *m, mesh_data *out, size_t *vertices,
                        size_t *triangles) {
    for (unsigned v = 0; v < m->mNumVertices; v++) {
        const struct aiVector3D *p = &m->mVertices[v];
        memcpy(out->positions + 3 * (*vertices + v), (float[3]){p->x, p->y, p->z},
               3 * sizeof(float));
        if (out->coordinates) {
            const struct aiVector3D *t = &m->mTextureCoords[0][v];
            memcpy(out->coordinates + 2 * (*vertices + v), (float[2]){t->x, t->y},
                   2 * sizeof(float));
        }
    }
    for (unsigned f = 0; f < m->mNumFaces; f++) {
        for (unsigned k = 0; k < 3; k++) {
            out->indices[3 * (*triangles + f) + k] = (uint32_t)*vertices + m->mFaces[f].mIndices[k];
        }
    }
    *vertices += m->mNumVertices;
    *triangles += m->mNumFaces;
}

static toile_result join_meshes(const source *s, const struct aiScene *scene, mesh_data *out) {
    size_t vertices = 0, triangles = 0;
    bool coordinates = scene->mNumMeshes > 0 && scene->mMeshes[0]->mTextureCoords[0];
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        toile_result result = check_mesh(s, scene->mMeshes[i], coordinates);
        if (result != TOILE_OK) {
            return result;
        }
        vertices += scene->mMeshes[i]->mNumVertices;
        triangles += scene->mMeshes[i]->mNumFaces;
    }
    if (triangles == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles", s->path);
    }
    if (!mesh_allocate(out, vertices, triangles, false, coordinates)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory to read '%s'", s->path);
    }
    vertices = triangles = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        append_mesh(scene->mMeshes[i], out, &vertices, &triangles);
    }
    return TOILE_OK;
}

static toile_result import(source *s, mesh_data *out) {
    struct aiFileIO io = {open_stream, close_stream, (char *)s};
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    unsigned flags = aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices;
    const struct aiScene *scene = aiImportFileExWithProperties(s->path, flags, &io, properties);
    aiReleasePropertyStore(properties);
    if (!scene) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' cannot be read: %s", s->path,
                         make_printable(aiGetErrorString()).text);
    }
    toile_result result = join_meshes(s, scene, out);
    aiReleaseImport(scene);
    return result;
}

static toile_result gltf_read(const char *path, bool binary, mesh_data *out) {
    source s = {.path = path, .left = FILE_LIMIT};
    toile_result result = file_read(path, FILE_LIMIT, &s.bytes, &s.size);
    if (result != TOILE_OK) {
        return result;
    }
    /* Assimp tries all its dozens of readers on a file that its glTF reader does not take, and
     * follows nodes wherever they lead. Strangers shall not choose that. */
    result = gltf_check(s.bytes, s.size, binary, CORNER_LIMIT, path);
    if (result == TOILE_OK) {
        result = import(&s, out);
    }
    free(s.bytes);
    return result;
}

static bool ends_with(const char *path, const char *end) {
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcasecmp(path + length - size, end) == 0;
}

toile_result mesh_read(const char *path, mesh_data *out) {
    if (ends_with(path, ".obj")) {
        return obj_read(path, out);
    }
    bool binary = ends_with(path, ".glb");
    if (binary || ends_with(path, ".gltf")) {
        return gltf_read(path, binary, out);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "'%s': expected the name of a mesh to end in .obj, .glb or .gltf", path);
}
