// stages.h - which nodes of a tape are named by shell patterns.
#ifndef APP_STAGES_H
#define APP_STAGES_H

#include "engine/tape/tape.h"

enum { STAGES_MAX_PATTERNS = 64 };

// Patterns as given, several to be joined by repeating the option; zero: no pattern.
typedef struct StagePatterns {
    const char *patterns[STAGES_MAX_PATTERNS];
    int count;
} StagePatterns;

bool stages_add_pattern(StagePatterns *patterns, const char *pattern, Error *err);

// True when a pattern asks for gradients: it begins with "grad.".
bool stages_want_gradients(const StagePatterns *patterns);

// The nodes of the trace in the order they run, into nodes (n_nodes of the tape at most); how many.
// Without patterns: the forward stages, with_gradients also the backward ones. Parameters only
// where a pattern names them.
int stages_select(const Tape *tape, const StagePatterns *patterns, bool with_gradients,
                  Node **nodes);

// "scores" or "encoder.*": the sentence when a pattern names nothing, with the nearest stage names.
bool stages_refuse(const Tape *tape, const char *pattern, Error *err);

// The first pattern that names no node of the tape, NULL where each names one.
const char *stages_unmatched(const Tape *tape, const StagePatterns *patterns);

#endif
