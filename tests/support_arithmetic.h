// support_arithmetic.h - redoes the arithmetic of an explanation from its text alone.
//
// Independent of the engine: numbers, names of earlier lines, + - · / ^ √ exp ln tanh sin cos max,
// parentheses, inf, … and "(12 more: 0.5)". Beside each value goes a bound on how far a result may
// lie from it whose operands were rounded and whose operations round (running error analysis,
// Wilkinson 1963; Higham 2002, section 3.3).
#ifndef TESTS_SUPPORT_ARITHMETIC_H
#define TESTS_SUPPORT_ARITHMETIC_H

#include <stdbool.h>

typedef struct Rounding {
    double operand;   // relative error of a number that is no small whole number
    double operation; // relative error of one operation; a few for a function
} Rounding;

// As a float32 kernel computes, in whatever order; as the explanation itself does, from nine
// digits.
extern const Rounding ROUNDING_FLOAT32;
extern const Rounding ROUNDING_DIGITS;

typedef struct Redone {
    double value;
    double bound;     // |what a kernel may have stored - value|
    double magnitude; // of the terms: the value is small beside it where they cancel
    double printed;   // what the last line says is the result; the value where it says nothing
    bool is_leaf;     // the last line is one number: nothing to compute
    char fault[160];  // what could not be read; "" otherwise
} Redone;

// False with a fault where the text is not an explanation.
bool arithmetic_redo(const char *text, Rounding rounding, Redone *redone);

#endif
