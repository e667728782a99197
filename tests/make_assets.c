// make_assets.c - trains the small models that ship with the program: `make assets`.
#include <stdio.h>
#include <stdlib.h>

#include "engine/playground/playground.h"
#include "engine/training/toy.h"

// As the lessons' screen trains it, from the preset's seed, with the preset's optimizer.
static bool train_toy(const char *folder, Error *err) {
    Preset preset = {0};
    Playground playground = {.opened = NULL};
    int n_done = 0;
    int n_copied = 0;
    bool ok = preset_load(&preset, "toy-copy", err) &&
              playground_open(&playground, "toy-copy --ids 1,5,4 --untrained", err);
    if (ok) {
        playground.opened->optimizer.config = preset.training.optimizer;
        playground.training.n_wanted = (int)preset.training.n_steps;
    }
    while (ok && training_is_running(&playground.training)) {
        ok = playground_train(&playground, 1e3, &n_done, err);
    }
    if (ok) {
        OpenModel *opened = playground.opened;
        const TrainingRun *run = &playground.training.run;
        ok = toy_count_copied(&opened->named.model, opened->device, &n_copied, err) &&
             model_save(&opened->named.model, folder, err);
        printf("%s: loss %g after %d steps, %d of %d pairs copied\n", folder,
               (double)run->losses[run->n_steps - 1], run->n_steps, n_copied, TOY_PAIRS);
    }
    playground_close(&playground);
    preset_free(&preset);
    return ok;
}

int main(int argc, char **argv) {
    Error err = {""};
    char *folder = file_join(argc > 1 ? argv[1] : "assets/models", "toy-copy");
    bool ok = file_make_folder(argc > 1 ? argv[1] : "assets/models", NULL, &err) &&
              train_toy(folder, &err);
    if (!ok) {
        fprintf(stderr, "make assets: %s\n", err.text);
    }
    free(folder);
    return ok ? 0 : 1;
}
