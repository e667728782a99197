// preset.h - models by name: what each is, its words, and how it is trained.
#ifndef ENGINE_MODELS_PRESET_H
#define ENGINE_MODELS_PRESET_H

#include "engine/models/model.h"
#include "engine/tape/optimizer.h"
#include "engine/tokenizers/tokenizer.h"

typedef struct TrainingConfig {
    int batch;  // items a step
    int length; // tokens an item; of pairs: at most
    int64_t n_steps;
    OptimizerConfig optimizer;
    Schedule schedule;
} TrainingConfig;

// A zeroed one is empty; preset_free gives it back.
typedef struct Preset {
    char name[64];
    char summary[256];
    ModelConfig config;
    TrainingConfig training;
    uint64_t seed;
    char data[64]; // what it learns from: "copy" or "translate", which are made by a rule, else
                   // "text" or "pairs", which have to be given
    char tokenizer[64];   // assets/tokenizers/NAME.tokenizer; "" where there is none
    char *input, *target; // what it runs on where nobody says it; NULL: nothing
    char **words;         // n_words, the toy vocabulary; NULL where there is none
    int n_words;
} Preset;

// assets/presets/NAME.json. An unknown name gives a sentence that lists the known ones.
bool preset_load(Preset *preset, const char *name, Error *err);
bool preset_exists(const char *name);
void preset_free(Preset *preset);

// Whether it has a tokenizer of its own, words or a file; and that one, n_pieces 0 without.
bool preset_has_tokenizer(const Preset *preset);
bool preset_load_tokenizer(const Preset *preset, Tokenizer *tokenizer, Error *err);

// A model of that name or in that folder, with its tokenizer.
typedef struct NamedModel {
    Model model;
    Tokenizer tokenizer; // n_pieces 0 where there is none
    char name[256];      // as given, for titles
    bool is_trained;     // weights from a file
    int trained_length;  // tokens at a time that our trainer showed it; 0: not known
    bool has_training;   // its preset, or the run that it is of, says how it is trained:
    TrainingConfig training;
    char *weights; // file or folder that has them, NULL: they are drawn; see preset_load_weights
    char *input, *target; // of its preset; NULL: none
    bool copies; // the copy toy: its sentences have no end mark and end where their source ends
} NamedModel;

// Whether it is a folder that preset_open opens: a preset's name comes first.
bool preset_is_folder(const char *name_or_folder);

// M of the command line: a preset's name (with the trained weights of assets/models/NAME where they
// exist, unless untrained) or a folder with config.json and model.safetensors. seed: of untrained
// weights; 0: the preset's own. progress: of who waits; NULL: nobody.
bool preset_open(NamedModel *named, const char *name_or_folder, bool untrained, uint64_t seed,
                 Progress *progress, Error *err);
void preset_close(NamedModel *named);

// The same in two steps, for what is checked before the weights are read or drawn: first all but
// the weights. After a failure of either nothing is left.
bool preset_open_bare(NamedModel *named, const char *name_or_folder, bool untrained, uint64_t seed,
                      Error *err);
bool preset_load_weights(NamedModel *named, Progress *progress, Error *err);

// How the model's texts are read. Refused where it has no tokenizer and something was chosen. What
// is assumed joins the model's notes.
bool preset_choose(NamedModel *named, const TokenizerChoice *choice, Error *err);

// Another tokenizer, a file or a folder, in place of the model's own. After a failure the model is
// still the caller's to close.
bool preset_take_tokenizer(NamedModel *named, const char *path, Error *err);

#endif
