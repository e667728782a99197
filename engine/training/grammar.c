// grammar.c - English sentences and their German translations, made by a small grammar.
#include "engine/training/grammar.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "engine/training/grammar_words.h"
#include "engine/training/permutation.h"

enum { SHUFFLE_PURPOSE = 0x6772616d, N_KINDS = 20 };

// ---- what a sentence is

typedef enum Frame { FRAME_MAIN, FRAME_TIME_FIRST, FRAME_CLAUSE } Frame;

// A kind of sentence: each is as frequent as the others.
typedef struct Kind {
    Frame frame;
    bool has_time, has_manner, has_place;
} Kind;

static const Kind KINDS[N_KINDS] = {
    {FRAME_MAIN, false, false, false},      {FRAME_MAIN, true, false, false},
    {FRAME_MAIN, false, true, false},       {FRAME_MAIN, true, true, false},
    {FRAME_MAIN, false, false, true},       {FRAME_MAIN, true, false, true},
    {FRAME_MAIN, false, true, true},        {FRAME_MAIN, true, true, true},
    {FRAME_TIME_FIRST, true, false, false}, {FRAME_TIME_FIRST, true, true, false},
    {FRAME_TIME_FIRST, true, false, true},  {FRAME_TIME_FIRST, true, true, true},
    {FRAME_CLAUSE, false, false, false},    {FRAME_CLAUSE, true, false, false},
    {FRAME_CLAUSE, false, true, false},     {FRAME_CLAUSE, true, true, false},
    {FRAME_CLAUSE, false, false, true},     {FRAME_CLAUSE, true, false, true},
    {FRAME_CLAUSE, false, true, true},      {FRAME_CLAUSE, true, true, true},
};

// All that is chosen; indices into the tables above.
typedef struct Choice {
    Kind kind;
    size_t tense, subject, phrase, time, manner, place, speaker, introduction;
} Choice;

// A phrase is a verb with one of its objects, or one without any.
static size_t count_phrases_of(const Verb *verb) {
    size_t n = 0;
    while (n < MAX_OBJECTS && verb->objects[n] != NO_OBJECT) {
        n++;
    }
    return n == 0 ? 1 : n;
}

static size_t count_phrases(void) {
    size_t n = 0;
    for (int i = 0; i < N_VERBS; i++) {
        n += count_phrases_of(&GRAMMAR_VERBS[i]);
    }
    return n;
}

static const Verb *find_phrase(size_t phrase, ObjectName *object) {
    const Verb *verb = GRAMMAR_VERBS;
    for (; phrase >= count_phrases_of(verb); verb++) {
        phrase -= count_phrases_of(verb);
    }
    *object = verb->objects[phrase];
    return verb;
}

static size_t count_choices(const Kind *kind) {
    size_t n = N_TENSES * N_SUBJECTS * count_phrases();
    n *= kind->has_time ? N_TIMES : 1;
    n *= kind->has_manner ? N_MANNERS : 1;
    n *= kind->has_place ? N_PLACES : 1;
    return kind->frame == FRAME_CLAUSE ? n * N_SPEAKERS * N_INTRODUCTIONS : n;
}

static size_t take_digit(uint64_t *number, size_t base) {
    size_t digit = (size_t)(*number % base);
    *number /= base;
    return digit;
}

// The choices as the digits of a number, each in its own base.
static Choice choose(const Kind *kind, uint64_t number) {
    Choice choice = {.kind = *kind};
    choice.tense = take_digit(&number, N_TENSES);
    choice.subject = take_digit(&number, N_SUBJECTS);
    choice.phrase = take_digit(&number, count_phrases());
    choice.time = take_digit(&number, kind->has_time ? N_TIMES : 1);
    choice.manner = take_digit(&number, kind->has_manner ? N_MANNERS : 1);
    choice.place = take_digit(&number, kind->has_place ? N_PLACES : 1);
    choice.speaker = take_digit(&number, kind->frame == FRAME_CLAUSE ? N_SPEAKERS : 1);
    choice.introduction = take_digit(&number, kind->frame == FRAME_CLAUSE ? N_INTRODUCTIONS : 1);
    return choice;
}

// ---- saying it: English first, then German from the places of the English words

typedef struct Places {
    int introduction, subject, modal, verb, object, time, manner, place;
} Places;

static int say(SentencePair *pair, const char *word) {
    assert(pair->n_source < GRAMMAR_MAX_WORDS);
    pair->source[pair->n_source] = word;
    return pair->n_source++;
}

static int say_noun(SentencePair *pair, const Noun *noun) {
    int place = say(pair, "the");
    say(pair, noun->english);
    return place;
}

static void tell(SentencePair *pair, const char *word, int place) {
    assert(pair->n_target < GRAMMAR_MAX_WORDS);
    pair->target[pair->n_target] = word;
    pair->aligned[pair->n_target++] = place;
}

static void tell_noun(SentencePair *pair, const char *const articles[3], const Noun *noun,
                      int place) {
    tell(pair, articles[noun->gender], place + 1); // "the" does not tell its gender
    tell(pair, noun->german, place + 1);
}

// Subject, verb, object, manner, place, time.
static void say_english(SentencePair *pair, const Choice *choice, Places *at) {
    const Kind *kind = &choice->kind;
    ObjectName object = NO_OBJECT;
    const Verb *verb = find_phrase(choice->phrase, &object);
    const char *time = GRAMMAR_TENSES[choice->tense].times[choice->time].english;
    TenseKind tense = GRAMMAR_TENSES[choice->tense].kind;
    if (kind->frame == FRAME_CLAUSE) {
        at->introduction = say(pair, GRAMMAR_SPEAKERS[choice->speaker].english);
    }
    for (int i = 0; kind->frame == FRAME_CLAUSE && i < INTRODUCTION_WORDS; i++) {
        say(pair, GRAMMAR_INTRODUCTIONS[choice->introduction][i].english);
    }
    if (kind->frame == FRAME_TIME_FIRST) {
        at->time = say(pair, time);
    }
    at->subject = say_noun(pair, &GRAMMAR_SUBJECTS[choice->subject]);
    if (tense == MODAL) {
        at->modal = say(pair, GRAMMAR_TENSES[choice->tense].modal.english);
    }
    at->verb = say(pair, tense == PRESENT ? verb->present
                         : tense == PAST  ? verb->past
                                          : verb->infinitive);
    if (object != NO_OBJECT) {
        at->object = say_noun(pair, &GRAMMAR_OBJECTS[object]);
    }
    if (kind->has_manner) {
        at->manner = say(pair, GRAMMAR_MANNERS[choice->manner].english);
    }
    at->place = pair->n_source;
    for (int i = 0; kind->has_place && i < PLACE_WORDS; i++) {
        say(pair, GRAMMAR_PLACES[choice->place].english[i]);
    }
    if (kind->has_time && kind->frame != FRAME_TIME_FIRST) {
        at->time = say(pair, time);
    }
}

// What stands between the two parts of the verb: time, object, manner, place.
static void tell_middle(SentencePair *pair, const Choice *choice, const Places *at) {
    static const char *const ACCUSATIVE[] = {"den", "die", "das"};
    const Kind *kind = &choice->kind;
    ObjectName object = NO_OBJECT;
    find_phrase(choice->phrase, &object);
    if (kind->has_time && kind->frame != FRAME_TIME_FIRST) {
        tell(pair, GRAMMAR_TENSES[choice->tense].times[choice->time].german, at->time);
    }
    if (object != NO_OBJECT) {
        tell_noun(pair, ACCUSATIVE, &GRAMMAR_OBJECTS[object], at->object);
    }
    if (kind->has_manner) {
        tell(pair, GRAMMAR_MANNERS[choice->manner].german, at->manner);
    }
    const char *const *words = GRAMMAR_PLACES[choice->place].german;
    for (int i = 0; kind->has_place && i < PLACE_WORDS && words[i] != NULL; i++) {
        tell(pair, words[i], at->place + (i == 0 ? 0 : PLACE_WORDS - 1));
    }
}

// The finite verb of a main clause and what of it stands at the end, "" where nothing does.
typedef struct VerbParts {
    const char *finite, *end;
    int finite_place, end_place;
} VerbParts;

static VerbParts split_verb(const Verb *verb, const Choice *choice, const Places *at) {
    const TenseKind tense = GRAMMAR_TENSES[choice->tense].kind;
    VerbParts parts = {.finite_place = tense == MODAL ? at->modal : at->verb,
                       .end_place = at->verb};
    switch (tense) {
    case PRESENT:
        parts.finite = verb->joined + strlen(verb->prefix);
        parts.end = verb->prefix;
        break;
    case PAST:
        parts.finite = verb->auxiliary;
        parts.end = verb->participle;
        break;
    case MODAL:
        parts.finite = GRAMMAR_TENSES[choice->tense].modal.german;
        parts.end = verb->german_infinitive;
        break;
    }
    return parts;
}

static void tell_german(SentencePair *pair, const Choice *choice, const Places *at) {
    static const char *const NOMINATIVE[] = {"der", "die", "das"};
    ObjectName object = NO_OBJECT;
    const Verb *verb = find_phrase(choice->phrase, &object);
    const VerbParts parts = split_verb(verb, choice, at);
    const Noun *subject = &GRAMMAR_SUBJECTS[choice->subject];
    bool is_clause = choice->kind.frame == FRAME_CLAUSE;
    if (is_clause) {
        tell(pair, GRAMMAR_SPEAKERS[choice->speaker].german, at->introduction);
    }
    for (int i = 0; is_clause && i < INTRODUCTION_WORDS; i++) {
        const WordPair *word = &GRAMMAR_INTRODUCTIONS[choice->introduction][i];
        tell(pair, word->german, at->introduction + 1 + i);
    }
    if (choice->kind.frame == FRAME_TIME_FIRST) {
        tell(pair, GRAMMAR_TENSES[choice->tense].times[choice->time].german, at->time);
        tell(pair, parts.finite, parts.finite_place);
    }
    tell_noun(pair, NOMINATIVE, subject, at->subject);
    if (choice->kind.frame == FRAME_MAIN) {
        tell(pair, parts.finite, parts.finite_place);
    }
    tell_middle(pair, choice, at);
    if (is_clause && GRAMMAR_TENSES[choice->tense].kind == PRESENT) {
        tell(pair, verb->joined, at->verb);
        return;
    }
    if (parts.end[0] != '\0') {
        tell(pair, parts.end, parts.end_place);
    }
    if (is_clause) {
        tell(pair, parts.finite, parts.finite_place);
    }
}

// ---- pairs

// As many of each kind as of the kind that has fewest.
static size_t count_of_a_kind(void) {
    size_t fewest = SIZE_MAX;
    for (int i = 0; i < N_KINDS; i++) {
        size_t n = count_choices(&KINDS[i]);
        fewest = n < fewest ? n : fewest;
    }
    return fewest;
}

uint64_t grammar_count(void) {
    return (uint64_t)count_of_a_kind() * N_KINDS;
}

void grammar_make(uint64_t seed, uint64_t number, SentencePair *pair) {
    assert(number < grammar_count());
    size_t which = (size_t)(number % N_KINDS);
    const Kind *kind = &KINDS[which];
    uint64_t chosen =
        permutation_at(seed, SHUFFLE_PURPOSE, which, count_choices(kind), number / N_KINDS);
    Choice choice = choose(kind, chosen);
    Places at = {0};
    *pair = (SentencePair){.n_source = 0};
    say_english(pair, &choice, &at);
    tell_german(pair, &choice, &at);
}
