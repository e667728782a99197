// checkpoint_list.c - which checkpoints a run's folder has, and what killed writers left in it.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/training/checkpoint.h"
#include "engine/training/checkpoint_folder.h"

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static int by_step(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static bool append_step(CheckpointList *list, int64_t step) {
    int64_t *steps = realloc(list->steps, (size_t)(list->count + 1) * sizeof *steps);
    if (steps == NULL) {
        return false;
    }
    list->steps = steps;
    list->steps[list->count++] = step;
    return true;
}

bool checkpoint_list(CheckpointList *list, const char *run, Error *err) {
    *list = (CheckpointList){0};
    DIR *entries = opendir(run);
    if (entries == NULL) {
        return checkpoint_fail(run, err);
    }
    bool ok = true;
    for (struct dirent *entry = readdir(entries); ok && entry != NULL; entry = readdir(entries)) {
        const char *name = entry->d_name;
        char *end = NULL;
        if (!begins_with(name, "step-") || name[5] < '0' || name[5] > '9') {
            continue;
        }
        int64_t step = strtoll(name + 5, &end, 10);
        ok = *end != '\0' || append_step(list, step);
    }
    closedir(entries);
    if (!ok) {
        checkpoint_list_free(list);
        return error_set(err, "not enough memory to list checkpoints");
    }
    if (list->count > 0) {
        qsort(list->steps, (size_t)list->count, sizeof *list->steps, by_step);
    }
    return true;
}

void checkpoint_list_free(CheckpointList *list) {
    free(list->steps);
    *list = (CheckpointList){0};
}

static char *make_aside(const char *run, int64_t step, Error *err) {
    enum { MOST = 1000 };
    bool is_new = false;
    char *aside = NULL;
    for (int i = 1; !is_new && i < MOST; i++) {
        char name[64];
        int length = snprintf(name, sizeof name, "after-step-%08lld", (long long)step);
        if (i > 1) { // gone back to once more
            snprintf(name + length, sizeof name - (size_t)length, "-%d", i);
        }
        free(aside);
        aside = file_join(run, name);
        if (aside == NULL || !file_make_folder(aside, &is_new, err)) {
            free(aside);
            return NULL;
        }
    }
    return aside;
}

bool checkpoint_set_aside(const char *run, int64_t step, char **aside, Error *err) {
    CheckpointList list = {0};
    *aside = NULL;
    bool ok = checkpoint_list(&list, run, err);
    for (int i = 0; ok && i < list.count; i++) {
        if (list.steps[i] <= step) {
            continue;
        }
        *aside = *aside != NULL ? *aside : make_aside(run, step, err);
        char *from = checkpoint_folder(run, list.steps[i]);
        char *to =
            from == NULL || *aside == NULL ? NULL : file_join(*aside, strrchr(from, '/') + 1);
        ok = to != NULL && (rename(from, to) == 0 || checkpoint_fail(from, err));
        free(from);
        free(to);
    }
    checkpoint_list_free(&list);
    return ok || error_set(err, "%s: not enough memory", run);
}

bool checkpoint_clean(const char *run, Error *err) {
    DIR *entries = opendir(run);
    if (entries == NULL) {
        return checkpoint_fail(run, err);
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const char *name = entry->d_name;
        if (begins_with(name, ".new-step-") || begins_with(name, ".old-")) {
            checkpoint_remove(run, name);
        } else if (begins_with(name, ".link-")) {
            (void)unlinkat(dirfd(entries), name, 0);
        }
    }
    closedir(entries);
    return true;
}
