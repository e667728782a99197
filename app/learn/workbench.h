// workbench.h - the model that is looked at, and what is done to it by command: it is stepped
// through, changed, trained and made to speak.
#ifndef APP_LEARN_WORKBENCH_H
#define APP_LEARN_WORKBENCH_H

#include "app/learn/before.h"
#include "app/learn/cursor.h"
#include "app/learn/merges.h"
#include "engine/playground/distances.h"
#include "engine/playground/lengths.h"
#include "engine/playground/plane.h"
#include "engine/playground/pace.h"
#include "engine/playground/size_plan.h"

typedef struct Workbench {
    Reply *reply;
    Playground playground;
    Cursor cursor;
    Before before;        // the numbers before the last change
    Merges merges;        // of a text that was cut into tokens; n 0: none
    Plane plane;          // of a model of points, as of the last frame
    LengthCurves lengths; // of the models that were measured
    SizePlan size;        // of the model that was asked for; name "": none
    Distances distances;  // that were timed
    int n_sizes;          // how often one was asked for
    Pace pace;            // of training that is watched
    CommandId warned;     // the command that was told to lose something, if is_warned
    bool is_warned;       // the same again does it
    bool is_scripted;     // commands are a lesson's or a state's: nobody is asked
} Workbench;

// reply outlives it. It may not be moved.
void workbench_init(Workbench *bench, Reply *reply);
void workbench_free(Workbench *bench);

// Closes the model; the merges of a text stay.
void workbench_close(Workbench *bench);

// Trains, where that goes on, and runs nodes up to the cursor for about budget_ms. True while
// something is left.
bool workbench_work(Workbench *bench, double budget_ms);

// Lets training go on by the steps of a frame of that length, if it has done those of the frame
// before; of length 0 only holds it back. Who never calls it trains at full speed.
void workbench_grant(Workbench *bench, double frame_ms);

// Says how far training came: a text with the step and the loss.
// What ended the training by itself, in a sentence; false: nothing did.
bool workbench_say_end(Workbench *bench);
void workbench_say_training(Workbench *bench, TextId id);

// A command is about to be carried out: what the one before was warned of is no longer said twice.
void workbench_begin(Workbench *bench, const Command *command);

// False, with a sentence, where the command would put aside more than can be kept, and nobody was
// told yet.
bool workbench_may_lose(Workbench *bench, const Command *command);

// The stage that is looked at is sought again after the tape was built anew.
typedef struct Shown {
    char stage[256];
} Shown;
Shown workbench_shown(const Workbench *bench);
void workbench_after_rebuild(Workbench *bench, const Shown *shown);

// Ends what workbench_work does: training, nodes on the way to the cursor. False: nothing went on.
bool workbench_stop(Workbench *bench);

// The functions of its commands are declared by their rows, in command.h.

#endif
