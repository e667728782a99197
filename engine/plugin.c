// plugin.c - shared objects of ours, opened when they are first needed.
#include "engine/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool name_beside_program(char *path, size_t size, const char *name) {
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
    return (size_t)snprintf(slash + 1, left, "attend-%s.so", name) < left;
}

const void *plugin_open(const char *name, const char *symbol, Error *err) {
    char beside[PATH_MAX];
    void *object = NULL;
    if (name_beside_program(beside, sizeof beside, name) && access(beside, F_OK) == 0) {
        object = dlopen(beside, RTLD_NOW | RTLD_LOCAL);
    } else {
        char installed[PATH_MAX];
        snprintf(installed, sizeof installed, "%s/lib/attend/attend-%s.so", ATTEND_PREFIX, name);
        if (access(installed, F_OK) != 0) {
            error_set(err, "attend-%s.so: expected beside the program or at %.300s", name,
                      installed);
            return NULL;
        }
        object = dlopen(installed, RTLD_NOW | RTLD_LOCAL);
    }
    const void *found = object == NULL ? NULL : dlsym(object, symbol);
    if (found == NULL) {
        const char *cause = dlerror();
        error_set(err, "attend-%s.so: %.400s", name, cause == NULL ? "cannot be used" : cause);
    }
    return found;
}
