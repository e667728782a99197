// train_tokenizer.c - the tokenizer of a run where no file was given: learned from its data.
#include "app/train/train_tokenizer.h"

#include <string.h>

#include "engine/base/plural.h"
#include "app/train/train_run.h"
#include "app/train/train_signals.h"
#include "engine/base/buffer.h"
#include "engine/models/text_marks.h"
#include "engine/tokenizers/sentencepiece/sentencepiece_train.h"
#include "engine/training/text_cut.h"
#include "kernels/cpu_pool.h"

enum { LEARN_BYTES = 8 * 1024 * 1024 };

static bool is_stopped(void) {
    return train_signals_stop() != 0;
}

// Cut, so that none of its lines is too long to be learned from.
static void append_line(Buffer *text, const char *line, size_t length, size_t longest) {
    while (length > longest) {
        size_t cut = text_cut_line(line, length, longest);
        buffer_append(text, line, cut);
        buffer_append(text, "\n", 1);
        line += cut;
        length -= cut;
    }
    buffer_append(text, line, length);
    buffer_append(text, "\n", 1);
}

static void append_lines(Buffer *text, const char *lines, size_t length, size_t longest) {
    for (size_t at = 0; at < length;) {
        const char *end = memchr(lines + at, '\n', length - at);
        size_t n = end == NULL ? length - at : (size_t)(end - lines) - at;
        append_line(text, lines + at, n, longest);
        at += n + 1;
    }
}

static bool read_start(Buffer *text, const TextSource *source, size_t longest, Error *err) {
    TextReader reader = {0};
    TextItem item;
    bool found = true;
    bool ok = text_reader_open(&reader, source, err);
    while (ok && found && text->length < LEARN_BYTES) {
        ok = !is_stopped() && text_reader_next(&reader, &item, &found, err);
        if (ok && found) {
            append_lines(text, item.text, item.length, longest);
        }
        if (ok && found && item.target != NULL) {
            append_lines(text, item.target, item.target_length, longest);
        }
    }
    text_reader_close(&reader);
    return ok;
}

bool train_tokenizer_learn(Tokenizer *tokenizer, const TextSource *source, int vocab_size,
                           const ModelConfig *config, int n_threads, Error *err) {
    VocabularyMarks marks;
    Buffer text = {0};
    SentencePieceOptions options;
    SentencePieceReport report;
    sentencepiece_options_init(&options);
    options.vocab_size = vocab_size;
    options.n_threads = n_threads;
    options.is_stopped = is_stopped;
    options.character_coverage = 0.9999; // a rare letter is worth a piece in a small text
    if (text_marks_vocabulary(config, &marks)) {
        options.pad_id = marks.pad_id;
        options.bos_id = marks.bos_id;
        options.eos_id = marks.eos_id;
        options.unknown_id = marks.unknown_id;
    }
    bool ok = read_start(&text, source, (size_t)options.max_sentence_bytes, err) &&
              sentencepiece_train(tokenizer, text.bytes == NULL ? "" : text.bytes, text.length,
                                  &options, &report, NULL, NULL, err);
    buffer_free(&text);
    return ok;
}

// Weights that are gone on from were learned with their own pieces.
static void say_other_tokenizer(TrainRun *run) {
    Tokenizer own = {0};
    Error ignored = {""};
    if (run->setup.initial == NULL || !tokenizer_load(&own, run->setup.initial, &ignored)) {
        return;
    }
    char own_hash[DATASET_HASH_BYTES];
    char given_hash[DATASET_HASH_BYTES];
    tokenizer_hash(&own, own_hash);
    tokenizer_hash(&run->tokenizer, given_hash);
    if (strcmp(own_hash, given_hash) != 0) {
        char shown[FILE_NAME_TEXT_BYTES];
        train_progress_say(&run->progress,
                           "tokenizer: not the one in %s, with which the weights were trained",
                           file_shown(run->setup.initial, shown));
    }
    tokenizer_free(&own);
}

static bool find_tokenizer(TrainRun *run, Error *err) {
    const char *given = run->command->tokenizer;
    if (run->checkpoint != NULL) {
        return tokenizer_load(&run->tokenizer, run->checkpoint, err);
    }
    if (given != NULL) {
        bool ok = tokenizer_load(&run->tokenizer, given, err);
        if (ok) {
            say_other_tokenizer(run);
        }
        return ok;
    }
    if (preset_has_tokenizer(&run->setup.preset)) {
        if (run->setup.preset.tokenizer[0] != '\0') {
            train_progress_say(&run->progress,
                               "tokenizer: %s, the preset's own (--tokenizer T takes another)",
                               run->setup.preset.tokenizer);
        }
        return preset_load_tokenizer(&run->setup.preset, &run->tokenizer, err);
    }
    if (run->setup.initial != NULL) {
        return tokenizer_load(&run->tokenizer, run->setup.initial, err);
    }
    if (!text_source_is_lasting(&run->source)) {
        char shown[FILE_NAME_TEXT_BYTES];
        return error_set(err,
                         "--data %s: expected --tokenizer T as well, or a regular file: this can "
                         "be read only once, and learning the tokenizer would take it",
                         file_shown(run->source.path, shown));
    }
    train_progress_say(&run->progress,
                       "tokenizer: learning %d piece%s from the data (--tokenizer T takes one that "
                       "is there)",
                       run->setup.config.vocab_size, plural(run->setup.config.vocab_size));
    Error reason = {""};
    char shown[FILE_NAME_TEXT_BYTES];
    return train_tokenizer_learn(&run->tokenizer, &run->source, run->setup.config.vocab_size,
                                 &run->setup.config, pool_threads(run->command->threads),
                                 &reason) ||
           error_set(err, "%s: %.300s (--vocab-size N takes more pieces or fewer)",
                     file_shown(run->source.path, shown), reason.text);
}

// A run that goes on has its own; another must not be given, nor another way to read texts.
static bool check_given(const TrainRun *run, Error *err) {
    const TrainCommand *command = run->command;
    Tokenizer tokenizer;
    char hash[sizeof run->tokenizer_hash];
    if (run->checkpoint == NULL) {
        return true;
    }
    const char *special = run->tokenizer.special_as_text ? "text" : "token";
    if (command->texts.special != NULL && strcmp(command->texts.special, special) != 0) {
        return error_set(err,
                         "--special %s: the run was started with %s; a resumed run keeps it, a new "
                         "folder (-o) starts a new run",
                         command->texts.special, special);
    }
    if (command->tokenizer == NULL) {
        return true;
    }
    if (!tokenizer_load(&tokenizer, command->tokenizer, err)) {
        return false;
    }
    TokenizerChoice choice = {.special = special, .pattern = command->texts.pattern};
    bool ok = tokenizer_choose(&tokenizer, &choice, err);
    tokenizer_hash(&tokenizer, hash);
    tokenizer_free(&tokenizer);
    return ok &&
           (strcmp(hash, run->tokenizer_hash) == 0 ||
            error_set(err,
                      "--tokenizer %s: differs from what the run was started with; a resumed run "
                      "keeps it, a new folder (-o) starts a new run",
                      command->tokenizer));
}

static void say_notes(TrainRun *run) {
    for (const char *at = tokenizer_notes(&run->tokenizer); *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        train_progress_say(&run->progress, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

bool train_open_tokenizer(TrainRun *run, Error *err) {
    const TokenizerChoice choice = {
        .special = run->checkpoint == NULL ? run->command->texts.special : NULL,
        .pattern = run->command->texts.pattern,
    };
    if (!find_tokenizer(run, err) || !tokenizer_choose(&run->tokenizer, &choice, err)) {
        return false;
    }
    if (run->tokenizer.n_pieces > run->setup.config.vocab_size) {
        return error_set(err,
                         "the tokenizer has %d piece%s, the model's vocabulary %d: expected at "
                         "most as many; --vocab-size %d begins a model of that size",
                         run->tokenizer.n_pieces, plural(run->tokenizer.n_pieces),
                         run->setup.config.vocab_size, run->tokenizer.n_pieces);
    }
    if (run->checkpoint == NULL) {
        say_notes(run);
    }
    tokenizer_hash(&run->tokenizer, run->tokenizer_hash);
    if (run->checkpoint != NULL && strcmp(run->tokenizer_hash, run->state.tokenizer_hash) != 0) {
        return error_set(err, "%s: its tokenizer is %s, expected %s as state.json has it",
                         run->checkpoint, run->tokenizer_hash, run->state.tokenizer_hash);
    }
    return check_given(run, err);
}
