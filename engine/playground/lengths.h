// lengths.h - how many sentences a model gets right, by their length.
#ifndef ENGINE_PLAYGROUND_LENGTHS_H
#define ENGINE_PLAYGROUND_LENGTHS_H

#include "engine/playground/model_input.h"

enum { LENGTHS_SENTENCES = 100, LENGTHS_MOST = 32, LENGTHS_CURVES = 6 };

// A sentence is right when the likeliest token is the right one at every position, the end mark
// included: then decoding it token by token gives it, too.
typedef struct LengthCurve {
    char name[96];                 // whose it is
    int shortest, longest;         // words of the source
    float right[LENGTHS_MOST + 1]; // percent of LENGTHS_SENTENCES that no training has seen, by the
                                   // number of words
} LengthCurve;

// Several models', the oldest first. A zeroed one is empty.
typedef struct LengthCurves {
    LengthCurve items[LENGTHS_CURVES];
    int n;
} LengthCurves;

// Fails where what the model's preset learns from has no lengths, or without memory. name stays.
bool lengths_measure(LengthCurve *curve, OpenModel *opened, Error *err);

// Joins the others, in the place of one of the same name; the oldest goes where there is no room.
void lengths_keep(LengthCurves *curves, const LengthCurve *curve);

#endif
