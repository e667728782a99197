// text_marks.c - which ids stand before, behind and beside the tokens of a text.
#include "engine/models/text_marks.h"

#include "engine/models/family.h"

static bool are_of_config(const ModelConfig *config) {
    return family_of(config)->marks == MARKS_OF_CONFIG;
}

static TextMarks of_config(const ModelConfig *config, bool has_end) {
    return (TextMarks){config->bos_id, has_end ? config->eos_id : -1};
}

TextMarks text_marks_learned(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end) {
    if (are_of_config(config)) {
        return of_config(config, has_end);
    }
    bool is_one = tokenizer->bos_id == tokenizer->eos_id;
    bool is_of_model = tokenizer->eos_id < 0 && config->eos_id < config->vocab_size;
    return (TextMarks){is_one ? -1 : tokenizer->bos_id,
                       is_of_model ? config->eos_id : tokenizer->eos_id};
}

TextMarks text_marks_shown(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end) {
    if (are_of_config(config)) {
        return of_config(config, has_end);
    }
    return (TextMarks){tokenizer->kind == TOKENIZER_WORDS ? tokenizer->bos_id : -1, -1};
}

int text_marks_start(const Tokenizer *tokenizer) {
    return tokenizer->bos_id >= 0 ? tokenizer->bos_id : tokenizer->eos_id;
}

int text_marks_before_prompt(const Tokenizer *tokenizer, size_t n_ids, int32_t first_id) {
    bool has_own = tokenizer->kind != TOKENIZER_BYTE_LEVEL && tokenizer->bos_id >= 0;
    int start = n_ids == 0 || has_own ? text_marks_start(tokenizer) : -1;
    return n_ids > 0 && first_id == start ? -1 : start;
}

int text_marks_end(const ModelConfig *config, const Tokenizer *tokenizer, bool has_end) {
    if (are_of_config(config)) {
        return has_end ? config->eos_id : -1;
    }
    return tokenizer->n_pieces > 0 && tokenizer->eos_id >= 0 ? tokenizer->eos_id : config->eos_id;
}

size_t text_marks_count_labels(const int32_t *labels, size_t n, int pad_id) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += labels[i] >= 0 && labels[i] != pad_id;
    }
    return count;
}

bool text_marks_vocabulary(const ModelConfig *config, VocabularyMarks *marks) {
    *marks = (VocabularyMarks){0, 1, 2, 3}; // <pad> <s> </s> <unk>
    return config->pad_id == marks->pad_id;
}
