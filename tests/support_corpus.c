// support_corpus.c - tells a text: draws its alternatives, its people and its things.
#include "tests/support_corpus.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "engine/training/permutation.h"
#include "kernels/random.h"

enum { CORPUS_PURPOSE = 0x73746f72, PERSONS = 3, SLOTS_OF_A_CLASS = 9, MAX_USED = 64 };

// One text while it is told. What a slot is stays the same in all of it.
typedef struct Telling {
    const Corpus *corpus;
    Buffer *text;
    uint64_t seed, number;
    uint64_t n_draws;
    bool a_is_girl;
    const char *names[PERSONS];
    const char *words[CORPUS_MAX_CLASSES][SLOTS_OF_A_CLASS];
    const char *used[MAX_USED]; // words that are in some slot already
    int n_used;
} Telling;

static int draw(Telling *telling, int n) {
    uint32_t bits = random_bits(telling->seed, CORPUS_PURPOSE, telling->number, telling->n_draws++);
    return (int)(((uint64_t)bits * (uint64_t)n) >> 32);
}

static bool is_used(const Telling *telling, const char *word) {
    for (int i = 0; i < telling->n_used; i++) {
        if (strcmp(telling->used[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// A word that stands nowhere else in the text, as long as there is one.
static const char *draw_word(Telling *telling, const WordClass *class) {
    int first = draw(telling, class->n_words);
    const char *word = class->words[first];
    for (int tries = 0; is_used(telling, word) && tries < 4 * class->n_words; tries++) {
        word = class->words[draw(telling, class->n_words)];
    }
    if (telling->n_used < MAX_USED) {
        telling->used[telling->n_used++] = word;
    }
    return word;
}

static bool is_girl(const Telling *telling, int person) {
    return telling->a_is_girl == (person != 1); // B alone is of the other gender
}

static const char *name_of(Telling *telling, int person) {
    const Corpus *corpus = telling->corpus;
    if (telling->names[person] == NULL) {
        int class = is_girl(telling, person) ? corpus->girl : corpus->boy;
        telling->names[person] = draw_word(telling, &corpus->classes[class]);
    }
    return telling->names[person];
}

static void say(Telling *telling, const char *word, bool is_capital) {
    size_t at = telling->text->length;
    buffer_append_text(telling->text, word);
    if (is_capital && word[0] != '\0') {
        telling->text->bytes[at] = (char)toupper((unsigned char)word[0]);
    }
}

// By the sound that a word begins with: "a ukulele", "a unicorn".
static bool takes_an(const char *word) {
    bool is_vowel = strchr("aeiou", tolower((unsigned char)word[0])) != NULL;
    return is_vowel && strncmp(word, "uk", 2) != 0 && strncmp(word, "uni", 3) != 0;
}

static void say_word(Telling *telling, const Part *part) {
    const char **word = &telling->words[part->list][part->which];
    if (*word == NULL) {
        *word = draw_word(telling, &telling->corpus->classes[part->list]);
    }
    if (part->has_article) {
        say(telling, takes_an(*word) ? "an " : "a ", part->is_capital);
    }
    say(telling, *word, part->is_capital && !part->has_article);
}

static void tell_alternative(Telling *telling, const Alternative *alternative);

// Rules use rules that stand above them, brackets nest a few deep: this comes to an end.
static void tell_choice(Telling *telling, const Choice *choice) {
    const Alternative *alternative = choice->first;
    for (int skipped = draw(telling, choice->n); skipped > 0; skipped--) {
        alternative = alternative->next;
    }
    tell_alternative(telling, alternative);
}

static void tell_alternative(Telling *telling, const Alternative *alternative) {
    for (const Part *part = alternative->first; part != NULL; part = part->next) {
        const Gendered *pair = &telling->corpus->gendered[part->list];
        switch (part->kind) {
        case PART_TEXT:
            say(telling, part->text, false);
            break;
        case PART_PERSON:
            say(telling, name_of(telling, part->person), false);
            break;
        case PART_GENDERED:
            say(telling, is_girl(telling, part->person) ? pair->female : pair->male,
                part->is_capital);
            break;
        case PART_WORD:
            say_word(telling, part);
            break;
        case PART_CHOICE:
            tell_choice(telling, part->choice);
            break;
        }
    }
}

// Every story once before any comes again, but those that are held out: one in CORPUS_HELD_OUT.
static const Alternative *choose_story(const Telling *telling, bool held_out, uint64_t turn) {
    uint64_t n_held_out = (uint64_t)telling->corpus->n_stories / CORPUS_HELD_OUT;
    uint64_t n = held_out ? n_held_out : (uint64_t)telling->corpus->n_stories - n_held_out;
    uint64_t i = permutation_at(telling->seed, CORPUS_PURPOSE, turn / n, n, turn % n);
    uint64_t place =
        held_out
            ? i * CORPUS_HELD_OUT + CORPUS_HELD_OUT - 1
            : i + (i / (CORPUS_HELD_OUT - 1) < n_held_out ? i / (CORPUS_HELD_OUT - 1) : n_held_out);
    return telling->corpus->stories[place];
}

bool corpus_check(const Corpus *corpus, const CorpusChoice *choice, Error *err) {
    for (int i = 0; i < corpus->n_kinds; i++) {
        if (choice->kind == NULL || strcmp(choice->kind, corpus->kinds[i].name) == 0) {
            return true;
        }
    }
    return error_set(err, "\"%.40s\": no such kind of text in grammar.txt", choice->kind);
}

// The kinds take turns in an order that is shuffled anew each round, as often as their shares say:
// *turn counts the earlier turns of the kind.
static int choose_kind(const Telling *telling, const CorpusChoice *choice, uint64_t *turn) {
    const Corpus *corpus = telling->corpus;
    uint64_t total = 0;
    for (int i = 0; i < corpus->n_kinds; i++) {
        bool is_wanted = choice->kind != NULL && strcmp(choice->kind, corpus->kinds[i].name) == 0;
        if (choice->held_out || is_wanted) {
            *turn = telling->number;
            return choice->held_out ? 0 : i;
        }
        total += (uint64_t)corpus->kinds[i].share;
    }
    assert(total > 0); // the stories alone have a share
    uint64_t round = telling->number / total;
    uint64_t place =
        permutation_at(telling->seed, CORPUS_PURPOSE + 1, round, total, telling->number % total);
    int kind = 0;
    while (place >= (uint64_t)corpus->kinds[kind].share) {
        place -= (uint64_t)corpus->kinds[kind++].share;
    }
    *turn = round * (uint64_t)corpus->kinds[kind].share + place;
    return kind;
}

void corpus_tell(const Corpus *corpus, const CorpusChoice *choice, uint64_t seed, uint64_t number,
                 Buffer *text) {
    Telling telling = {.corpus = corpus, .text = text, .seed = seed, .number = number};
    telling.a_is_girl = draw(&telling, 2) == 0;
    uint64_t turn = 0;
    int kind = choose_kind(&telling, choice, &turn);
    if (kind == 0) {
        tell_alternative(&telling, choose_story(&telling, choice->held_out, turn));
    } else {
        tell_choice(&telling, &corpus->kinds[kind]);
    }
}
