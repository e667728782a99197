// translate_run.h - sentences through an encoder-decoder, as `attend translate` was told.
#ifndef APP_COMMANDS_TRANSLATE_RUN_H
#define APP_COMMANDS_TRANSLATE_RUN_H

#include "app/model_choice.h"
#include "engine/generation/decode.h"
#include "engine/models/preset.h"

// A model that translates, open.
typedef struct Translator {
    NamedModel named;
    Device *device;
    QuantizedWeights weights;
    EncodeReport report; // of the texts that were encoded to be run
} Translator;

typedef struct TranslateSettings {
    ModelChoice choice;
    int beam;
    int max_length; // tokens; 0: twice the source's and 8
    double alpha;   // of the length penalty
} TranslateSettings;

// Without weights, for what is checked before they are read or drawn; then these. After a failure
// of either nothing is left.
bool translator_open(Translator *translator, const TranslateSettings *settings, Error *err);
bool translator_load(Translator *translator, const TranslateSettings *settings, Error *err);
void translator_close(Translator *translator);

// The ids of a source sentence with the marks that the model was trained with. What was lost is
// added to *report (may be NULL).
bool translator_encode(const Translator *translator, const char *text, TokenIds *ids,
                       EncodeReport *report, Error *err);

// Decodes ids into decoding, which the caller frees.
bool translator_decode(Translator *translator, const TranslateSettings *settings,
                       const TokenIds *ids, Decoding *decoding, Error *err);

// Whether it was stopped by max_length, before the model ended it.
bool translator_is_cut(const Translator *translator, const TokenIds *source,
                       const Hypothesis *hypothesis);

// The text of a hypothesis, without its marks (malloc, the caller's).
bool translator_text(const Translator *translator, const Hypothesis *hypothesis, char **text,
                     Error *err);

#endif
