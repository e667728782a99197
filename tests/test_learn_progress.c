// test_learn_progress.c - how far a person came: kept by programs that end together, and only where
// there is a place for it.
#include "tests/support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/learn/player.h"
#include "tests/folder.h"

enum { PROGRAMS = 8, ROUNDS = 5 };

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_all(const char *folder) {
    assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static Player *begun(const char *file, int furthest) {
    static Reply reply;
    Player *player = calloc(1, sizeof *player);
    assert_non_null(player);
    player_init(player, &reply, NULL, NULL);
    snprintf(player->file, sizeof player->file, "%s", file);
    player->has_lesson = true;
    player->furthest = furthest;
    player->lesson.n_stops = 100;
    return player;
}

static void save(const char *file, int furthest) {
    Player *player = begun(file, furthest);
    player_save_progress(player);
    free(player);
}

static int resumed(const char *file) {
    Player *player = begun(file, 0);
    player_load_progress(player);
    int stop = player->resume_stop;
    free(player);
    return stop;
}

static void programs_that_end_together_keep_all_lines(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    folder_make(folder);
    setenv("XDG_STATE_HOME", folder, 1);
    for (int round = 1; round <= ROUNDS; round++) {
        int gate[2];
        assert_int_equal(pipe(gate), 0);
        pid_t pids[PROGRAMS];
        for (int i = 0; i < PROGRAMS; i++) {
            char file[32];
            snprintf(file, sizeof file, "%02d-lesson.md", i);
            pids[i] = fork();
            if (pids[i] == 0) {
                char byte = 0;
                close(gate[1]);
                (void)!read(gate[0], &byte, 1); // all begin when the gate is closed
                save(file, 10 * round + i);
                _exit(0);
            }
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < PROGRAMS; i++) {
            assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
        }
        for (int i = 0; i < PROGRAMS; i++) {
            char file[32];
            snprintf(file, sizeof file, "%02d-lesson.md", i);
            assert_int_equal(resumed(file), 10 * round + i);
        }
    }
    remove_all(folder);
}

static void a_pipe_in_its_place_is_left_alone(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES + 32];
    struct stat info;
    folder_make(folder);
    setenv("XDG_STATE_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/attend", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/attend/progress", folder);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(resumed("a.md"), 0); // neither waits for another end of the pipe
    save("a.md", 3);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    remove_all(folder);
}

static void a_home_that_is_missing_is_not_made(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char home[FOLDER_PATH_BYTES + 32];
    folder_make(folder);
    unsetenv("XDG_STATE_HOME");
    snprintf(home, sizeof home, "%s/home", folder);
    setenv("HOME", home, 1);
    save("a.md", 3);
    assert_false(file_exists(home));
    assert_int_equal(mkdir(home, 0777), 0);
    save("a.md", 3);
    assert_int_equal(resumed("a.md"), 3);
    char state_home[FOLDER_PATH_BYTES + 64];
    snprintf(state_home, sizeof state_home, "%s/a/b", folder);
    setenv("XDG_STATE_HOME", state_home, 1);
    save("a.md", 4);
    snprintf(state_home, sizeof state_home, "%s/a", folder);
    assert_false(file_exists(state_home));
    setenv("XDG_STATE_HOME", state_home, 1);
    save("a.md", 4);
    assert_int_equal(resumed("a.md"), 4);
    remove_all(folder);
}

// A file that cannot be read whole is somebody's: it is not replaced by one line.
static void a_file_that_cannot_be_read_is_kept(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES + 32];
    struct stat info;
    folder_make(folder);
    setenv("XDG_STATE_HOME", folder, 1);
    save("a.md", 3);
    snprintf(path, sizeof path, "%s/attend/progress", folder);
    assert_int_equal(truncate(path, 3 << 20), 0);
    save("b.md", 4);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 3 << 20);
    remove_all(folder);
}

// Who was at the end has been there, whatever is read again.
static void a_lesson_that_is_done_stays_done(void **state) {
    (void)state;
    char folder[FOLDER_PATH_BYTES];
    folder_make(folder);
    setenv("XDG_STATE_HOME", folder, 1);
    assert_int_equal(player_reached("a.md"), -1);
    save("a.md", 50);
    save("a.md", 3);
    assert_int_equal(player_reached("a.md"), 3);
    save("a.md", 99);
    save("a.md", 3);
    assert_int_equal(player_reached("a.md"), 99);
    remove_all(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lesson_that_is_done_stays_done),
        cmocka_unit_test(programs_that_end_together_keep_all_lines),
        cmocka_unit_test(a_pipe_in_its_place_is_left_alone),
        cmocka_unit_test(a_home_that_is_missing_is_not_made),
        cmocka_unit_test(a_file_that_cannot_be_read_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
