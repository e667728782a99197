// file_leftovers.c - removes what writers (file_writer.c) left that were killed.
#include "engine/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of ".attend-PROCESS-NUMBER.tmp" the process; 0: the name is another.
static pid_t process_of(const char *name) {
    static const char START[] = ".attend-";
    if (strncmp(name, START, sizeof START - 1) != 0) {
        return 0;
    }
    char *end = NULL;
    long process = strtol(name + sizeof START - 1, &end, 10);
    if (process <= 0 || process > INT32_MAX || *end != '-') {
        return 0;
    }
    (void)strtol(end + 1, &end, 10);
    return strcmp(end, ".tmp") == 0 ? (pid_t)process : 0;
}

void file_remove_leftovers(const char *folder) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        pid_t process = process_of(entry->d_name);
        if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}
