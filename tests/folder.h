// folder.h - a folder of a test's own, gone when the test is over.
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_PATH_BYTES = 512 };

// Makes an empty folder and writes its path. Fails the test where that cannot be done.
static inline void folder_make(char path[FOLDER_PATH_BYTES]) {
    const char *parent = getenv("TMPDIR");
    snprintf(path, FOLDER_PATH_BYTES, "%s/attend-test-XXXXXX", parent != NULL ? parent : P_tmpdir);
    assert_non_null(mkdtemp(path));
}

// "folder/name" into path.
static inline const char *folder_path(const char *folder, const char *name,
                                      char path[FOLDER_PATH_BYTES]) {
    int length = snprintf(path, FOLDER_PATH_BYTES, "%s/%s", folder, name);
    assert_true(length < FOLDER_PATH_BYTES);
    return path;
}

static inline int folder_count(const char *folder) {
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(entries);
    return count;
}

// Takes away the folder and the files in it.
static inline void folder_remove(const char *folder) {
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[FOLDER_PATH_BYTES];
            unlink(folder_path(folder, entry->d_name, path));
        }
    }
    closedir(entries);
    assert_int_equal(rmdir(folder), 0);
}

#endif
