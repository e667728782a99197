// family.h - the table of model families: all that the engine asks of one.
//
// A family is a file model_NAME.c, which ends in its row, `const Family family_NAME`, and a line of
// FAMILY_LIST in config.h. Nobody else asks which family a model is of.
#ifndef ENGINE_MODELS_FAMILY_H
#define ENGINE_MODELS_FAMILY_H

#include <jansson.h>

#include "engine/base/buffer.h"
#include "engine/files/json_text.h"
#include "engine/files/safetensors.h"
#include "engine/models/layers.h"
#include "engine/models/model.h"

// Which ids begin and end its texts.
typedef enum FamilyMarks {
    MARKS_OF_CONFIG,    // its configuration's, around every text
    MARKS_OF_TOKENIZER, // those that its tokenizer has
} FamilyMarks;

// What a person may change in a model that is looked at.
typedef enum FamilySwitch {
    SWITCH_MASK = 1 << 0, // the four of ModelSwitches
    SWITCH_SCALE = 1 << 1,
    SWITCH_RESIDUAL = 1 << 2,
    SWITCH_POSITIONS = 1 << 3,
    SWITCH_HEADS = 1 << 4, // their number, as of the next two
    SWITCH_LAYERS = 1 << 5,
    SWITCH_WIDTH = 1 << 6,
    SWITCH_NORM_PLACE = 1 << 7,   // before or after a sublayer
    SWITCH_NORM_FORMULA = 1 << 8, // NormKind
} FamilySwitch;

// How the weight and the bias of a linear layer begin.
typedef struct LinearInit {
    Init weight, bias;
} LinearInit;

typedef struct Family {
    const char *name;       // "family" in config.json
    const char *model_type; // of a Hugging Face config.json, which names no "family"; NULL: none
    int n_sides;            // 2: a source, which is read whole, and a target
    FamilyMarks marks;
    bool config_repeats_marks; // config.json tells other programs the tokenizer's marks
    bool is_llmc;              // checkpoints of llm.c hold such models
    bool has_dropout;          // the model has places where "dropout" acts
    bool has_places;           // each kind of place has a probability of its own
    int n_classes; // it tells to which of the classes a token belongs, whose ids are the first
                   // ones; 0: it tells the next token, and so can write

    // Its own keys of config.json, into a config whose ids are -1 and whose vocab_size is known;
    // and all of them but those of config.c, as a new object (NULL without memory).
    void (*read)(ModelConfig *config, JsonFields *fields);
    json_t *(*write)(const ModelConfig *config);

    // Appends the model to build->tape and sets what it has of nodes: tokens, logits, with two
    // sides the source, with_loss labels and loss. With build->state it goes on from there.
    void (*build)(Build *build, BatchShape shape, bool with_loss, ModelNodes *nodes);

    // Of layer_linear. NULL: PyTorch's, uniform within 1/√n_in, the bias too.
    LinearInit (*linear_init)(int n_in, int n_out);

    // Whether one token can go on from what earlier ones left in build->state. Where not, every
    // step runs the whole text.
    bool (*keeps_state)(const ModelConfig *config);

    // What the tensors of a weights file say of the configuration that was read beside it; a
    // sentence in notes where they say something else. NULL: nothing.
    void (*heed)(ModelConfig *config, const Safetensors *file, Buffer *notes);

    // Whether a tensor that no parameter is read from has no effect in other programs' files
    // either, so that nobody needs to be told. NULL: none.
    bool (*is_idle)(const ModelConfig *config, const Safetensors *file, const char *name);

    // Weights that are computed at once from the tokens and labels (B,T) in front of the model, and
    // not learned step by step. labels NULL: there are none. NULL: such weights are learned.
    bool (*fit)(Model *model, BatchShape shape, const int32_t *tokens, const int32_t *labels,
                Error *err);

    // Which FamilySwitch have an effect on such a model.
    unsigned (*switches)(const ModelConfig *config);
} Family;

extern const Family *const FAMILIES[FAMILY_COUNT];

// The row of a model.
const Family *family_of(const ModelConfig *config);

// False, with a sentence that names the model, where it tells classes and writes no text.
bool family_check_writes(const ModelConfig *config, const char *name, Error *err);

bool family_has_switch(const ModelConfig *config, FamilySwitch which);

#endif
