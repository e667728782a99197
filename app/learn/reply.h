// reply.h - what a command says back: a sentence for the last line, a line to be completed, a view
// to turn to.
#ifndef APP_LEARN_REPLY_H
#define APP_LEARN_REPLY_H

#include "app/learn/texts.h"
#include "engine/base/error.h"
#include "views/screen/view.h"

enum { REPLY_BYTES = 4096, REPLY_LINE_BYTES = 4096 };

// A zeroed one is ready: English, nothing said.
typedef struct Reply {
    Language language;
    bool is_spoken;         // to who has no screen and no keys
    char text[REPLY_BYTES]; // "": nothing is said
    bool is_bad;            // it says what went wrong
    // What the command leaves to whoever gave it; both are taken by learn_execute.
    char line[REPLY_LINE_BYTES]; // the start of a line that a person is to complete; "": none
    size_t proposed;  // where in it a proposal begins that what is typed replaces; 0: there is none
    const View *view; // that shows what is new; NULL: as before
} Reply;

const char *reply_text(const Reply *reply, TextId id);

// Says a text of the table, {a} and {b} filled in.
void reply_say(Reply *reply, TextId id, const char *a, const char *b);
void reply_complain(Reply *reply, const char *sentence); // "" says nothing

// The same for what a function fails with; always false.
bool reply_fail(const Reply *reply, Error *err, TextId id, const char *a, const char *b);

// Asks for the rest of a line that begins so.
void reply_ask(Reply *reply, const char *start);
// The same, with a proposal for the rest.
void reply_propose(Reply *reply, const char *start, const char *proposal);

// Turns to the view that shows such a thing, as soon as it fits.
void reply_show(Reply *reply, ViewSubject subject);

#endif
