// model_choice.c - the options that generate, translate and eval share: which model, its weights in
// which numbers, on how many threads.
#include "app/model_choice.h"
#include "app/output.h"

#include <stdio.h>

#include "engine/devices/device.h"
#include "engine/training/checkpoint.h"

bool model_choice_check(ModelChoice *choice, Error *err) {
    if (choice->model == NULL) {
        return error_set(err, "--model: expected a preset's name or a folder");
    }
    if (choice->seed < 0 || choice->n_threads < 0) {
        return error_set(err, "--%s: expected a whole number from 0",
                         choice->seed < 0 ? "seed" : "threads");
    }
    if (!tokenizer_choice_check(&choice->texts, err) ||
        (choice->device != NULL && !device_check_name(choice->device, err))) {
        return false;
    }
    return choice->weights_name == NULL ||
           quantized_format_find(choice->weights_name, &choice->weights) ||
           error_set(err, "--weights: expected f32, bf16 or int8, found \"%.40s\"",
                     choice->weights_name);
}

bool model_choice_open(const ModelChoice *choice, NamedModel *named, Error *err) {
    *named = (NamedModel){.is_trained = false};
    if (preset_is_folder(choice->model) && !choice->untrained &&
        !checkpoint_check_model(choice->model, err)) {
        return false;
    }
    return preset_open_bare(named, choice->model, choice->untrained, (uint64_t)choice->seed, err) &&
           (choice->tokenizer == NULL || preset_take_tokenizer(named, choice->tokenizer, err)) &&
           preset_choose(named, &choice->texts, err);
}

bool model_choice_load(const ModelChoice *choice, NamedModel *named, Device **device, Error *err) {
    Error notice = {""};
    *device = device_open(choice->device, choice->n_threads, &notice, err);
    if (error_is_set(&notice)) {
        output_say("attend: %s", notice.text);
    }
    return *device != NULL && preset_load_weights(named, NULL, err);
}
