// cmd_train.c - `attend train`: learns from data, never loses a run.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/train/train_run.h"
#include "app/watch/train_watch.h"
#include "app/output.h"
#include "engine/devices/device.h"

static void print_help(const Option *options, size_t n_options) {
    output_text(
        "usage: attend train --preset P|--config F --data F [--tokenizer T] [OPTION...] -o FOLDER\n"
        "       attend train --resume -o FOLDER\n"
        "       attend train --dry-run --preset P\n"
        "       attend train --watch -o FOLDER [--with FOLDER]\n\n"
        "Trains a model on data. Ctrl-C or SIGTERM saves after the current step and stops; SIGUSR1 "
        "saves\nand continues.\n"
        "`mpirun -np N attend train ...` and `srun --mpi=pmix attend train ...` share a batch\n"
        "among N processes.\n\n");
    options_print(options, n_options);
}

static bool check_command(TrainCommand *command, const char *operand, Error *err) {
    if (operand != NULL) {
        return error_set(
            err, "expected options only, found \"%.60s\"; the run's folder goes after -o", operand);
    }
    if (command->resume_step != TRAIN_NO_INT) {
        command->resume = true;
    }
    if (command->paragraphs) {
        command->given.paragraphs = 1;
    }
    bool has_look = command->with != NULL || command->theme != NULL || command->color != NULL ||
                    command->lang != NULL || command->ascii;
    if (has_look && !command->watch) {
        return error_set(err, "--with, --theme, --color, --lang and --ascii belong to --watch");
    }
    if ((command->output == NULL && !command->dry_run) ||
        (command->output != NULL && command->output[0] == '\0')) {
        return error_set(err, "expected -o FOLDER, where the run goes");
    }
    if (!device_check_name(command->device, err) || !tokenizer_choice_check(&command->texts, err)) {
        return false;
    }
    if (command->threads < 0) {
        return error_set(err, "--threads: expected 0 or more, found %d", command->threads);
    }
    if (command->data.n_texts > 1) {
        return error_set(err,
                         "--data: expected one file, found %d; `cat A B | attend train --data - "
                         "--tokenizer T` reads several",
                         command->data.n_texts);
    }
    command->given.data = command->data.n_texts == 1 ? command->data.texts[0] : NULL;
    return true;
}

static int finish(TrainCommand *command, int status) {
    option_list_free(&command->data);
    return status;
}

int app_train(int argc, char **argv) {
    TrainCommand command;
    Option options[TRAIN_MAX_OPTIONS];
    size_t n_options = train_settings_options(&command, options);
    int first_operand = 0;
    Error err = {""};
    bool ok = options_read(argc, argv, options, n_options, &first_operand, NULL, &err);
    if (ok && command.help) {
        print_help(options, n_options);
        return finish(&command, APP_OK);
    }
    ok = ok && check_command(&command, first_operand < argc ? argv[first_operand] : NULL, &err);
    if (!ok || !command.watch) {
        return finish(&command, train_run(&command, ok, &err));
    }
    int status = train_watch(&command, &err);
    if (error_is_set(&err) && (status == APP_FAILED || status == APP_USAGE)) {
        status = status == APP_USAGE ? app_wrong("train", &err) : app_failed("train", &err);
    }
    return finish(&command, status);
}
