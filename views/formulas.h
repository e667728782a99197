// formulas.h - the name of an op and the formula of a node, in each language.
#ifndef VIEWS_FORMULAS_H
#define VIEWS_FORMULAS_H

#include "engine/tape/op.h"
#include "views/sentences.h"

enum { FORMULA_BYTES = 2 * OP_FORMULA_BYTES };

// "layer norm", "层归一化".
const char *formula_op_name(OpKind op, Language language);

// A formula of the op, as op_formula or an explanation has it, with its words in this language. The
// letters stay: they are the names of stages and of the steps of an explanation. Returns text or
// formula.
const char *formula_in(OpKind op, const char *formula, Language language, char text[FORMULA_BYTES]);

// "layer norm: y = ...", as it stands below a number. Returns text.
const char *formula_line(OpKind op, const char *formula, Language language,
                         char text[FORMULA_BYTES]);

#endif
