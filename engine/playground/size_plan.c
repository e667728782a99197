// size_plan.c - how large a model is, and how long it trains on a given device.
#include "engine/playground/size_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is asked beside the model; zero is "not said".
typedef struct Question {
    char model[128];
    double batch, processes, tflops, percent;
} Question;

static bool take_option(Question *question, const char *name, const char *value, Error *err) {
    const struct {
        const char *name;
        double *number;
        double most;
        bool is_whole;
    } OPTIONS[] = {{"--batch", &question->batch, 1e6, true},
                   {"--processes", &question->processes, 1e6, true},
                   {"--tflops", &question->tflops, 1e9, false},
                   {"--percent", &question->percent, 100.0, false}};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        if (strcmp(OPTIONS[i].name, name) != 0) {
            continue;
        }
        char *end = NULL;
        double number = value == NULL ? 0.0 : strtod(value, &end);
        bool is_good = value != NULL && end != value && *end == '\0' && number > 0.0 &&
                       number <= OPTIONS[i].most;
        is_good = is_good && (!OPTIONS[i].is_whole || number == (double)(long)number);
        *OPTIONS[i].number = number;
        return is_good || error_set(err, "size: expected a%s number above 0, at most %g, after %s",
                                    OPTIONS[i].is_whole ? " whole" : "", OPTIONS[i].most, name);
    }
    return error_set(err,
                     "size: unknown option \"%.40s\": expected --batch, --processes, --tflops or "
                     "--percent",
                     name);
}

static bool read_question(Question *question, const char *line, Error *err) {
    char words[SIZE_PLAN_BYTES];
    char *rest = NULL;
    *question = (Question){.model = ""};
    if (snprintf(words, sizeof words, "%s", line) >= (int)sizeof words) {
        return error_set(err, "size: expected less than %zu characters", sizeof words);
    }
    for (char *word = strtok_r(words, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (word[0] == '-') {
            if (!take_option(question, word, strtok_r(NULL, " \t", &rest), err)) {
                return false;
            }
        } else if (question->model[0] == '\0') {
            snprintf(question->model, sizeof question->model, "%s", word);
        } else {
            return error_set(err, "size: expected one model, found \"%.40s\" too", word);
        }
    }
    return true;
}

static bool count_model(SizePlan *plan, const NamedModel *named, const Question *question,
                        Error *err) {
    const ModelConfig *config = &named->model.config;
    const TrainingConfig *training = named->has_training ? &named->training : NULL;
    BatchShape shape = model_size_shape(config, training);
    shape.B = question->batch > 0.0 ? (int)question->batch : shape.B;
    plan->n_processes = question->processes > 0.0 ? (int)question->processes : 1;
    if (shape.B % plan->n_processes != 0) {
        return error_set(err, "size: a batch of %d sequences cannot be split among %d processes",
                         shape.B, plan->n_processes);
    }
    shape.B /= plan->n_processes;
    plan->n_steps = training != NULL ? training->n_steps : 0;
    plan->flops = question->tflops * 1e12;
    plan->is_said = question->tflops > 0.0;
    plan->percent = question->percent > 0.0 ? question->percent : 100.0;
    return model_size_count(&plan->size, config, shape, err);
}

bool size_plan_read(SizePlan *plan, const OpenModel *opened, const char *line, Error *err) {
    Question question;
    *plan = (SizePlan){.name = ""};
    if (!read_question(&question, line, err)) {
        return false;
    }
    snprintf(plan->question, sizeof plan->question, "%s", line);
    if (question.model[0] == '\0') {
        if (opened == NULL) {
            return error_set(err, "size: expected a model, such as transformer-base, after it");
        }
        snprintf(plan->name, sizeof plan->name, "%.60s", opened->named.name);
        return count_model(plan, &opened->named, &question, err);
    }
    NamedModel named;
    if (!preset_open_bare(&named, question.model, true, 0, err)) {
        return false;
    }
    snprintf(plan->name, sizeof plan->name, "%.60s", named.name);
    bool ok = count_model(plan, &named, &question, err);
    preset_close(&named);
    return ok;
}

double size_plan_seconds(const SizePlan *plan) {
    return plan->size.step_flops / (plan->flops * plan->percent / 100.0);
}

bool size_plan_find(const SizePlan *plan, const char *name, double *value, Error *err) {
    if (plan->name[0] == '\0') {
        return error_set(err, "size(%s): no model was counted: expected the command `size` before",
                         name);
    }
    if (strcmp(name, "tokens") == 0) {
        *value = (double)model_size_tokens(&plan->size) * plan->n_processes;
        return true;
    }
    if (strcmp(name, "seconds") == 0) {
        *value = size_plan_seconds(plan);
        return true;
    }
    if (strcmp(name, "hours") == 0) {
        *value = size_plan_seconds(plan) * (double)plan->n_steps / 3600.0;
        return true;
    }
    return model_size_find(&plan->size, name, value) ||
           error_set(err, "size(%s): %s has no such part or number", name, plan->name);
}
