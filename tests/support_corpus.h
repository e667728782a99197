// support_corpus.h - the text that the story models learn from: hand-written stories with typed
// slots and a grammar, told again and again with other names and things. assets/corpus/README.md
// describes the files.
#ifndef TESTS_SUPPORT_CORPUS_H
#define TESTS_SUPPORT_CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/buffer.h"
#include "engine/base/error.h"

enum { CORPUS_MAX_CLASSES = 64, CORPUS_MAX_NAMED = 128, CORPUS_HELD_OUT = 20 };

// "toy: kite, ball": words that may stand in a slot {toy}.
typedef struct WordClass {
    const char *name;
    const char **words; // n_words
    int n_words;
} WordClass;

// "he/she": how a slot {A:he} is said of a man or boy, and of a woman or girl.
typedef struct Gendered {
    const char *male, *female;
} Gendered;

typedef enum PartKind {
    PART_TEXT,     // as it stands
    PART_PERSON,   // {A}: a name
    PART_GENDERED, // {A:he}
    PART_WORD,     // {toy}, {a toy}, {toy2}
    PART_CHOICE,   // [one|other], or a rule
} PartKind;

typedef struct Choice Choice;

typedef struct Part Part;
struct Part {
    PartKind kind;
    const char *text; // PART_TEXT
    int person;       // of a name or a pronoun: 0 for A, 1 for B, 2 for C
    int list;         // its class, or its pair of pronouns
    int which;        // 0 for {toy}, 1 for {toy2}
    bool has_article;
    bool is_capital; // of the article, where there is one
    const Choice *choice;
    Part *next;
};

typedef struct Alternative Alternative;
struct Alternative {
    Part *first;
    Alternative *next;
};

// Alternatives of which one is said, all as often.
struct Choice {
    const char *name; // of a rule or a kind of text; "" of one that stands in brackets
    Alternative *first, *last;
    int n;
    int share; // of a kind of text: how often it is told, beside the others' shares
};

typedef struct Corpus {
    Arena arena;
    WordClass classes[CORPUS_MAX_CLASSES];
    int n_classes;
    Gendered gendered[CORPUS_MAX_CLASSES];
    int n_gendered;
    int girl, boy; // the classes that names are drawn from
    Choice rules[CORPUS_MAX_NAMED];
    int n_rules;
    Choice kinds[CORPUS_MAX_NAMED]; // the first is that of the stories
    int n_kinds;
    const Alternative **stories; // n_stories
    const char **story_texts;    // as they are written, slots and all
    int *story_lines;
    int n_stories;
} Corpus;

// folder/words.txt, grammar.txt and stories.txt. A fault is told with file, line and what was
// expected. On failure the corpus is left as after corpus_free.
bool corpus_load(Corpus *corpus, const char *folder, Error *err);
void corpus_free(Corpus *corpus); // takes a zeroed one

// Which texts: of all kinds, but one story in CORPUS_HELD_OUT never; those stories alone; or a kind
// by its name alone.
typedef struct CorpusChoice {
    bool held_out;
    const char *kind; // NULL: all
} CorpusChoice;

// False, with a sentence, where there is no such kind.
bool corpus_check(const Corpus *corpus, const CorpusChoice *choice, Error *err);

// Appends text `number` of a seed, one line without its end: a function of the seed, the number
// and the files alone.
void corpus_tell(const Corpus *corpus, const CorpusChoice *choice, uint64_t seed, uint64_t number,
                 Buffer *text);

// ---- support_corpus_template.c: texts with slots

// Where a text stands, for sentences.
typedef struct Place {
    const char *path;
    int line;
} Place;

// Reads a text with its slots into an alternative of the choice. Rules and classes have to be known
// already.
bool corpus_read_template(Corpus *corpus, Choice *choice, const char *text, Place place,
                          Error *err);

#endif
