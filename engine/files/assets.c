// assets.c - where the program's own files are: presets, small models, palettes, lessons.
#include "engine/files/assets.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"

enum { PLACES = 4, PATH_BYTES = 4096 };

// The folder the program lies in, "" where that cannot be told.
static void program_folder(char path[PATH_BYTES]) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

// Place number i, NULL where it does not apply.
static const char *place(int i, char own[PATH_BYTES]) {
    switch (i) {
    case 0:
        return getenv("ATTEND_ASSETS");
    case 1:
        program_folder(own);
        return own[0] == '\0' ? NULL : own;
    case 2: // as it is installed, wherever that was moved to
        program_folder(own);
        strncat(own, "/../share/attend", PATH_BYTES - strlen(own) - 1);
        return own;
    default:
        return ATTEND_PREFIX "/share/attend";
    }
}

char *assets_find(const char *relative) {
    char own[PATH_BYTES];
    for (int i = 0; i < PLACES; i++) {
        const char *folder = place(i, own);
        char *path = folder == NULL ? NULL : file_join(folder, relative);
        if (path != NULL && file_exists(path)) {
            return path;
        }
        free(path);
    }
    return NULL;
}

void assets_list(const char *relative, void (*visit)(void *context, const char *name),
                 void *context) {
    char *path = assets_find(relative);
    struct dirent **entries = NULL;
    int count = path == NULL ? 0 : scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            visit(context, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    free(path);
}
