// grammar_words.h - the words of the English-German grammar.
#ifndef ENGINE_TRAINING_GRAMMAR_WORDS_H
#define ENGINE_TRAINING_GRAMMAR_WORDS_H

typedef enum Gender { MASCULINE, FEMININE, NEUTER } Gender;

typedef struct Noun {
    const char *english, *german;
    Gender gender;
} Noun;

typedef enum ObjectName {
    NO_OBJECT,
    FRIEND,
    SISTER,
    BROTHER,
    DOG,
    CAT,
    HORSE,
    BOOK,
    LETTER,
    NEWSPAPER,
    DOOR,
    WINDOW,
    BREAD,
    APPLE,
} ObjectName;

enum { MAX_OBJECTS = 4 };

typedef struct Verb {
    const char *present, *past, *infinitive;
    const char *joined;    // the finite German verb at the end of a clause: anruft
    const char *prefix;    // what of it stands alone in a main clause: an; "": not separable
    const char *auxiliary; // of the perfect: hat angerufen
    const char *participle, *german_infinitive;
    ObjectName objects[MAX_OBJECTS]; // none: an intransitive verb
} Verb;

// What an English word becomes.
typedef struct WordPair {
    const char *english, *german;
} WordPair;

typedef enum TenseKind { PRESENT, PAST, MODAL } TenseKind; // German says the past in the perfect

// A kind of finite verb with the times that go with it; a modal is followed by an infinitive.
typedef struct Tense {
    TenseKind kind;
    WordPair modal, times[2];
} Tense;

// "in the garden": three English words; in German three, or two where "in dem" is "im".
typedef struct Place {
    const char *english[3], *german[3];
} Place;

enum {
    N_SUBJECTS = 8,
    N_OBJECTS = APPLE + 1,
    N_VERBS = 16,
    N_TENSES = 5,
    N_TIMES = 2, // of a tense
    N_MANNERS = 3,
    N_PLACES = 4,
    N_SPEAKERS = 4,
    N_INTRODUCTIONS = 5,
    INTRODUCTION_WORDS = 2,
    PLACE_WORDS = 3,
};

extern const Noun GRAMMAR_SUBJECTS[N_SUBJECTS];
extern const Noun GRAMMAR_OBJECTS[N_OBJECTS];
extern const Verb GRAMMAR_VERBS[N_VERBS];
extern const Tense GRAMMAR_TENSES[N_TENSES];
extern const WordPair GRAMMAR_MANNERS[N_MANNERS];
extern const Place GRAMMAR_PLACES[N_PLACES];
extern const WordPair GRAMMAR_SPEAKERS[N_SPEAKERS]; // who knows or says the clause
extern const WordPair GRAMMAR_INTRODUCTIONS[N_INTRODUCTIONS][INTRODUCTION_WORDS];

#endif
