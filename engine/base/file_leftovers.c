// file_leftovers.c - removes what writers (file_writer.c) left that were killed.
#include "engine/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void file_remove_leftovers(const char *folder) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        long process = 0;
        int number = 0;
        int end = 0;
        int found = sscanf(entry->d_name, ".attend-%9ld-%4d.tmp%n", &process, &number, &end);
        bool is_ours = found == 2 && end > 0 && entry->d_name[end] == '\0' && process > 0;
        if (is_ours && kill((pid_t)process, 0) != 0 && errno == ESRCH) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}
