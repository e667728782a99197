// explain_term.h - a term of the field instead of a number: what the glossary says of it.
#ifndef APP_COMMANDS_EXPLAIN_TERM_H
#define APP_COMMANDS_EXPLAIN_TERM_H

#include "engine/base/error.h"
#include "views/sentences.h"

// Prints the term's explanation and where it can be seen; name NULL: all terms. False with a
// sentence, which names what is alike, where the glossary has no such term.
bool explain_term(const char *name, Language language, Error *err);

#endif
