// plugin.c - shared objects of ours, opened when they are first needed.
#include "engine/files/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// "attend-NAME.so" in a folder that is given from the program's own, "" or "../lib/attend/".
static bool is_near_program(char *path, size_t size, const char *folder, const char *name) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    const size_t left = size - (size_t)(slash + 1 - path);
    return (size_t)snprintf(slash + 1, left, "%sattend-%s.so", folder, name) < left &&
           access(path, F_OK) == 0;
}

// False: it is nowhere, and path is where it was looked for last.
static bool find_file(char path[PATH_MAX], const char *name) {
    if (is_near_program(path, PATH_MAX, "", name) ||
        is_near_program(path, PATH_MAX, "../lib/attend/", name)) {
        return true;
    }
    snprintf(path, PATH_MAX, "%s/lib/attend/attend-%s.so", ATTEND_PREFIX, name);
    return access(path, F_OK) == 0;
}

bool plugin_exists(const char *name) {
    char path[PATH_MAX];
    return find_file(path, name);
}

const void *plugin_open(const char *name, const char *symbol, Error *err) {
    char path[PATH_MAX];
    if (!find_file(path, name)) {
        error_set(err, "attend-%s.so: expected beside the program or at %.300s", name, path);
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found = object == NULL ? NULL : dlsym(object, symbol);
    if (found == NULL) {
        const char *cause = dlerror();
        error_set(err, "attend-%s.so: %.400s", name, cause == NULL ? "cannot be used" : cause);
    }
    return found;
}
