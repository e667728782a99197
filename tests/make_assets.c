// make_assets.c - trains the small models that ship with the program: `make assets`.
#include <stdio.h>
#include <stdlib.h>

#include "engine/training/toy.h"
#include "kernels/cpu.h"

static bool train_toy(const char *folder, Device *device, Error *err) {
    Preset preset;
    Model model;
    Toy toy;
    if (!preset_load(&preset, "toy-copy", err) ||
        !model_init(&model, &preset.config, preset.seed, err) ||
        !toy_open(&toy, &model, &preset.training, device, err)) {
        return false;
    }
    float loss = 0.0F;
    for (int64_t step = 0; step < preset.training.n_steps; step++) {
        loss = toy_step(&toy);
    }
    int n_copied = 0;
    bool ok = toy_count_copied(&model, device, &n_copied, err) && model_save(&model, folder, err);
    printf("%s: loss %g after %lld steps, %d of %d pairs copied\n", folder, (double)loss,
           (long long)preset.training.n_steps, n_copied, TOY_PAIRS);
    toy_close(&toy);
    model_free(&model);
    preset_free(&preset);
    return ok;
}

int main(int argc, char **argv) {
    Error err = {""};
    char *folder = file_join(argc > 1 ? argv[1] : "assets/models", "toy-copy");
    Device *device = cpu_open(1);
    bool ok = file_make_folder(argc > 1 ? argv[1] : "assets/models", NULL, &err) &&
              train_toy(folder, device, &err);
    if (!ok) {
        fprintf(stderr, "make assets: %s\n", err.text);
    }
    free(folder);
    cpu_close(device);
    return ok ? 0 : 1;
}
