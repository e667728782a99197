// lesson_files.c - where the lessons of the program are.
#include "app/learn/lesson_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/files/assets.h"

static const char *const FOLDERS[LANGUAGE_COUNT] = {"lessons/en", "lessons/zh"};

typedef struct Wanted {
    const char *name;
    long number;
    char *file; // 256 bytes
    bool is_found;
} Wanted;

static void take_if_wanted(void *context, const char *file) {
    Wanted *wanted = context;
    bool has_number = wanted->number > 0 && strtol(file, NULL, 10) == wanted->number;
    size_t length = strlen(wanted->name);
    bool is_name = strcmp(file, wanted->name) == 0 ||
                   (strncmp(file, wanted->name, length) == 0 && strcmp(file + length, ".md") == 0);
    if ((has_number || is_name) && !wanted->is_found) {
        wanted->is_found = true;
        snprintf(wanted->file, 256, "%s", file);
    }
}

char *lesson_files_find(const char *name, Language language, char file[256]) {
    char *end = NULL;
    long number = strtol(name, &end, 10);
    char found[256];
    Wanted wanted = {name, *end == '\0' ? number : 0, found, false};
    assets_list(FOLDERS[language], take_if_wanted, &wanted);
    if (!wanted.is_found) {
        return NULL;
    }
    memcpy(file, found, sizeof found); // name may be file
    char path[300];
    snprintf(path, sizeof path, "%s/%s", FOLDERS[language], file);
    return assets_find(path);
}

typedef struct Lister {
    void (*visit)(void *context, const char *file);
    void *context;
} Lister;

static void visit_markdown(void *context, const char *file) {
    const Lister *lister = context;
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".md") == 0 && file[0] >= '0' && file[0] <= '9') {
        lister->visit(lister->context, file);
    }
}

void lesson_files_list(void (*visit)(void *context, const char *file), void *context) {
    Lister lister = {visit, context};
    assets_list(FOLDERS[LANGUAGE_EN], visit_markdown, &lister);
}
