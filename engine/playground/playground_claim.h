// playground_claim.h - what claims of a lesson ask of the model that is open.
#ifndef ENGINE_PLAYGROUND_PLAYGROUND_CLAIM_H
#define ENGINE_PLAYGROUND_PLAYGROUND_CLAIM_H

#include "engine/lessons/claim.h"
#include "engine/playground/playground.h"
#include "engine/playground/training.h"

typedef struct ClaimStart ClaimStart; // the numbers before a stop's commands

// The numbers of a playground as claims read them. A zeroed one with its two pointers set is ready.
typedef struct PlaygroundClaims {
    Playground *playground; // borrowed
    const TrainingRun *run; // borrowed; for loss@train:N
    ClaimStart *start;      // owned; NULL: nothing was kept
} PlaygroundClaims;

// Keeps all numbers as they are now, for "@start"; nothing where no model is open or it is large.
void playground_claims_keep(PlaygroundClaims *claims);
void playground_claims_free(PlaygroundClaims *claims);

// The answers to ClaimWorld's questions; context is a PlaygroundClaims.
bool playground_claim_stage(void *context, const char *name, ClaimMoment moment, ClaimStage *stage,
                            Error *err);
bool playground_claim_scalar(void *context, const char *name, const char *argument,
                             ClaimMoment moment, double *value, Error *err);
bool playground_claim_token(void *context, const char *word, int32_t *id, Error *err);

#endif
