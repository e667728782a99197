// train_watch_open.c - --watch: what is looked at, then the screen or one picture as text.
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/output.h"
#include "app/screen_options.h"
#include "app/watch/train_watch.h"
#include "views/canvas_text.h"

enum { PIPE_COLUMNS = 100, PIPE_ROWS = 30 };

static bool read_options(TrainWatch *watch, const TrainCommand *command, Error *err) {
    watch->language = screen_language_of_locale();
    watch->terminal =
        (TerminalOptions){.has_depth = command->color != NULL,
                          .ascii = command->ascii,
                          .no_mouse = true,
                          .instead = "`attend train --watch -o FOLDER | cat` needs no terminal"};
    TerminalOptions *terminal = &watch->terminal;
    return (command->lang == NULL || screen_language_find(&watch->language, command->lang, err)) &&
           (command->theme == NULL || theme_find(&terminal->theme, command->theme, err)) &&
           (command->color == NULL || colour_depth_find(&terminal->depth, command->color, err));
}

static bool open_run(TrainWatch *watch, const char *folder, Error *err) {
    int i = watch->n_runs++;
    return train_follow_open(&watch->follows[i], folder, err) &&
           train_curves_init(&watch->curves[i], view_watch_values(CANVAS_MAX_SIDE), err);
}

static bool open_watch(TrainWatch *watch, const TrainCommand *command, Error *err) {
    watch->has_other = command->with != NULL;
    return open_run(watch, command->output, err) &&
           (command->with == NULL || open_run(watch, command->with, err));
}

static void close_watch(TrainWatch *watch) {
    for (int i = 0; i < WATCH_RUNS; i++) {
        train_follow_close(&watch->follows[i]);
        train_curves_free(&watch->curves[i]);
    }
}

static bool print_watch(TrainWatch *watch, Error *err) {
    const double a_while_ms = 1e3;
    Canvas canvas = {.cells = NULL};
    char *text = NULL;
    size_t length = 0;
    do {
        train_watch_read(watch, a_while_ms);
    } while (train_watch_has_more(watch));
    setlocale(LC_CTYPE, "");
    bool ok = canvas_init(&canvas, PIPE_COLUMNS, PIPE_ROWS, err);
    if (ok) {
        canvas.ascii = watch->terminal.ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
        ViewWatch view = train_watch_view(watch, PIPE_COLUMNS);
        view_watch_draw(&view, &canvas);
        ok = canvas_to_text(&canvas, &text, &length, err);
    }
    if (ok) {
        output_bytes(text, length);
        output_flush(); // what fails is told at the end, see main.c
    }
    free(text);
    canvas_free(&canvas);
    return ok;
}

int train_watch(const TrainCommand *command, Error *err) {
    TrainWatch *watch = calloc(1, sizeof *watch);
    int status = APP_FAILED;
    if (watch == NULL) {
        error_set(err, "not enough memory to watch a run");
        return APP_FAILED;
    }
    watch->follows[0].descriptor = watch->follows[1].descriptor = -1;
    if (!read_options(watch, command, err)) {
        status = APP_USAGE;
    } else if (open_watch(watch, command, err)) {
        bool is_terminal = isatty(STDOUT_FILENO) == 1;
        status = is_terminal               ? train_watch_screen(watch, err)
                 : print_watch(watch, err) ? APP_OK
                                           : APP_FAILED;
    }
    close_watch(watch);
    free(watch);
    return status;
}
