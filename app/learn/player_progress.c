// player_progress.c - how far a person came: a line "stop file" for each lesson that was begun.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/learn/player.h"
#include "engine/base/file.h"
#include "views/text_buffer.h"

enum { MOST_BYTES = 1 << 20, LOCK_TRIES = 1000, LOCK_WAIT_MS = 10 };

static const char FILE_NAME[] = "progress";

// A folder that is there, or was made; its parent is never made with it.
static bool has_folder(const char *path, bool make) {
    return file_is_folder(path) || (make && file_make_folder(path, NULL, NULL));
}

// The next folder down. path is given to free; NULL in, NULL out.
static char *go_down(char *path, const char *name, bool make) {
    char *below = path == NULL ? NULL : file_join(path, name);
    free(path);
    if (below != NULL && !has_folder(below, make)) {
        free(below);
        below = NULL;
    }
    return below;
}

// $XDG_STATE_HOME/attend or ~/.local/state/attend, malloc; NULL where there is none. A home that is
// not there is not made.
static char *state_folder(bool make) {
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        return has_folder(state, make) ? go_down(strdup(state), "attend", make) : NULL;
    }
    if (home == NULL || home[0] != '/' || !file_is_folder(home)) {
        return NULL;
    }
    char *path = go_down(strdup(home), ".local", make);
    return go_down(go_down(path, "state", make), "attend", make);
}

// Who reads, changes and writes the file does it alone; another program waits. The descriptor, -1
// where the folder cannot be locked: it is written without then.
static int lock_folder(const char *folder) {
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; descriptor >= 0 && i < LOCK_TRIES; i++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return descriptor;
        }
        const struct timespec pause = {0, LOCK_WAIT_MS * 1000000L};
        nanosleep(&pause, NULL);
    }
    return descriptor;
}

// False where there is something else than a file of lines: it is neither read nor replaced. No
// file counts as an empty one.
static bool read_lines(const char *path, FileBytes *file) {
    struct stat info;
    *file = (FileBytes){0};
    if (lstat(path, &info) != 0) {
        return true;
    }
    bool is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    return is_file && file_read(file, path, MOST_BYTES, NULL);
}

// The next line: its stop, and where the lesson's name lies. False at the end.
static bool next_line(const char **at, int *stop, const char **name, size_t *length) {
    if (*at == NULL || **at == '\0') {
        return false;
    }
    char *end = NULL;
    *stop = (int)strtol(*at, &end, 10);
    end += *end == ' ';
    *name = end;
    *length = strcspn(end, "\n");
    *at = end + *length + (end[*length] == '\n');
    return true;
}

static bool is_named(const char *file, const char *name, size_t length) {
    return strlen(file) == length && strncmp(file, name, length) == 0;
}

int player_reached(const char *file) {
    char *folder = state_folder(false);
    char *path = folder == NULL ? NULL : file_join(folder, FILE_NAME);
    FileBytes bytes = {0};
    int reached = -1;
    bool ok = path != NULL && read_lines(path, &bytes);
    free(path);
    free(folder);
    if (!ok) {
        return reached;
    }
    const char *at = (const char *)bytes.bytes;
    const char *name = NULL;
    size_t length = 0;
    int stop = 0;
    while (next_line(&at, &stop, &name, &length)) {
        reached = is_named(file, name, length) ? stop : reached;
    }
    file_close(&bytes);
    return reached;
}

void player_load_progress(Player *player) {
    int stop = player_reached(player->file);
    if (stop > 0 && stop + 1 < player->lesson.n_stops) {
        char a[16];
        char b[16];
        player->resume_stop = stop;
        snprintf(a, sizeof a, "%d", stop + 1);
        snprintf(b, sizeof b, "%d", player->lesson.n_stops);
        reply_say(player->reply, TEXT_RESUME_OFFER, a, b);
    }
}

static void write_lines(const Player *player, int furthest, const char *path,
                        const FileBytes *old) {
    TextBuffer text = {0};
    char number[16];
    snprintf(number, sizeof number, "%d ", furthest);
    text_buffer_text(&text, number);
    text_buffer_text(&text, player->file);
    text_buffer_text(&text, "\n");
    const char *at = (const char *)old->bytes;
    const char *name = NULL;
    size_t length = 0;
    int stop = 0;
    while (next_line(&at, &stop, &name, &length)) {
        if (!is_named(player->file, name, length)) {
            snprintf(number, sizeof number, "%d ", stop);
            text_buffer_text(&text, number);
            text_buffer_append(&text, name, length);
            text_buffer_text(&text, "\n");
        }
    }
    char *all = NULL;
    size_t size = 0;
    if (text_buffer_take(&text, &all, &size, NULL)) {
        file_save(path, all, size, NULL); // progress that cannot be kept is not worth a complaint
        free(all);
    }
}

void player_save_progress(const Player *player) {
    bool is_begun = player->has_lesson && player->furthest > 0 && !player->is_visited;
    int reached = player_reached(player->file); // who was at the end has been there
    bool is_done = reached + 1 >= player->lesson.n_stops;
    bool is_line = strchr(player->file, '\n') == NULL;
    char *folder = is_begun && is_line ? state_folder(true) : NULL;
    char *path = folder == NULL ? NULL : file_join(folder, FILE_NAME);
    if (path != NULL) {
        int lock = lock_folder(folder);
        FileBytes bytes = {0};
        if (read_lines(path, &bytes)) {
            write_lines(player, is_done ? reached : player->furthest, path, &bytes);
        }
        file_close(&bytes);
        if (lock >= 0) {
            close(lock);
        }
    }
    free(path);
    free(folder);
}
