// workbench_model.c - what model is open: family, sizes, parameters, where its weights are from.
#include <stdio.h>
#include <stdlib.h>

#include "app/learn/workbench.h"
#include "views/text_buffer.h"

static void add_sentence(TextBuffer *text, const Reply *reply, TextId id, const char *a,
                         const char *b) {
    char sentence[REPLY_BYTES];
    text_fill(sentence, sizeof sentence, reply_text(reply, id), a, b);
    text_buffer_print(text, "%s%s", text->length > 0 && reply->language == LANGUAGE_EN ? " " : "",
                      sentence);
}

// "layers 1, heads 2": those that the family has.
static void add_sizes(TextBuffer *text, const Reply *reply, const ModelConfig *config) {
    const struct {
        TextId name;
        int size;
    } sizes[] = {{TEXT_LAYERS, config->n_layers},       {TEXT_WIDTH, config->d_model},
                 {TEXT_HEADS, config->n_heads},         {TEXT_HIDDEN, config->d_ff},
                 {TEXT_VOCABULARY, config->vocab_size}, {TEXT_LENGTH, config->n_positions}};
    const char *between = reply->language == LANGUAGE_EN ? " " : "";
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].size > 0) {
            text_buffer_print(text, "%s%s %d", between, reply_text(reply, sizes[i].name),
                              sizes[i].size);
            between = reply->language == LANGUAGE_EN ? ", " : "，";
        }
    }
    text_buffer_text(text, reply->language == LANGUAGE_EN ? "." : "。");
}

bool workbench_do_model(Workbench *bench, const Command *command, Error *err) {
    (void)command;
    const Reply *reply = bench->reply;
    const NamedModel *named = &bench->playground.opened->named;
    int n_trained = training_step(&bench->playground.training);
    TextBuffer text = {0};
    char number[32];
    add_sentence(&text, reply, TEXT_MODEL_IS, named->name,
                 config_family_name(named->model.config.family));
    snprintf(number, sizeof number, "%zu", params_count(&named->model.params));
    add_sentence(&text, reply, TEXT_MODEL_COUNT, number, NULL);
    add_sizes(&text, reply, &named->model.config);
    snprintf(number, sizeof number, "%llu", (unsigned long long)named->model.seed);
    const ModelConfig *was = &bench->playground.config;
    const ModelConfig *is = &named->model.config;
    bool is_same_size = was->d_model == is->d_model && was->n_layers == is->n_layers;
    bool is_read = named->is_trained && named->weights != NULL && is_same_size;
    add_sentence(&text, reply, is_read ? TEXT_MODEL_TRAINED : TEXT_MODEL_DRAWN,
                 is_read ? named->weights : number, NULL);
    if (n_trained > 0) {
        snprintf(number, sizeof number, "%d", n_trained);
        add_sentence(&text, reply, TEXT_MODEL_SINCE, number, NULL);
    }
    char *all = NULL;
    size_t length = 0;
    if (!text_buffer_take(&text, &all, &length, err)) {
        return false;
    }
    reply_complain(bench->reply, all);
    bench->reply->is_bad = false;
    free(all);
    return true;
}
