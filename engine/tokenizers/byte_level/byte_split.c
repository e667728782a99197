// byte_split.c - cuts text into the words that byte-level BPE merges within, as the patterns of
// GPT-2 and its successors do.
#include "engine/tokenizers/byte_level/byte_split.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/tokenizer_private.h"

static unsigned ascii_class(uint8_t byte) {
    static const uint8_t classes[128] = {
        ['\t'] = CLASS_SPACE, ['\n'] = CLASS_BREAK, ['\v'] = CLASS_SPACE, ['\f'] = CLASS_SPACE,
        ['\r'] = CLASS_BREAK, [' '] = CLASS_SPACE,

        ['0'] = CLASS_NUMBER, ['1'] = CLASS_NUMBER, ['2'] = CLASS_NUMBER, ['3'] = CLASS_NUMBER,
        ['4'] = CLASS_NUMBER, ['5'] = CLASS_NUMBER, ['6'] = CLASS_NUMBER, ['7'] = CLASS_NUMBER,
        ['8'] = CLASS_NUMBER, ['9'] = CLASS_NUMBER,

        ['A'] = CLASS_BIG,    ['B'] = CLASS_BIG,    ['C'] = CLASS_BIG,    ['D'] = CLASS_BIG,
        ['E'] = CLASS_BIG,    ['F'] = CLASS_BIG,    ['G'] = CLASS_BIG,    ['H'] = CLASS_BIG,
        ['I'] = CLASS_BIG,    ['J'] = CLASS_BIG,    ['K'] = CLASS_BIG,    ['L'] = CLASS_BIG,
        ['M'] = CLASS_BIG,    ['N'] = CLASS_BIG,    ['O'] = CLASS_BIG,    ['P'] = CLASS_BIG,
        ['Q'] = CLASS_BIG,    ['R'] = CLASS_BIG,    ['S'] = CLASS_BIG,    ['T'] = CLASS_BIG,
        ['U'] = CLASS_BIG,    ['V'] = CLASS_BIG,    ['W'] = CLASS_BIG,    ['X'] = CLASS_BIG,
        ['Y'] = CLASS_BIG,    ['Z'] = CLASS_BIG,

        ['a'] = CLASS_SMALL,  ['b'] = CLASS_SMALL,  ['c'] = CLASS_SMALL,  ['d'] = CLASS_SMALL,
        ['e'] = CLASS_SMALL,  ['f'] = CLASS_SMALL,  ['g'] = CLASS_SMALL,  ['h'] = CLASS_SMALL,
        ['i'] = CLASS_SMALL,  ['j'] = CLASS_SMALL,  ['k'] = CLASS_SMALL,  ['l'] = CLASS_SMALL,
        ['m'] = CLASS_SMALL,  ['n'] = CLASS_SMALL,  ['o'] = CLASS_SMALL,  ['p'] = CLASS_SMALL,
        ['q'] = CLASS_SMALL,  ['r'] = CLASS_SMALL,  ['s'] = CLASS_SMALL,  ['t'] = CLASS_SMALL,
        ['u'] = CLASS_SMALL,  ['v'] = CLASS_SMALL,  ['w'] = CLASS_SMALL,  ['x'] = CLASS_SMALL,
        ['y'] = CLASS_SMALL,  ['z'] = CLASS_SMALL,
    };
    return classes[byte];
}

static unsigned class_at(const char *text, size_t at, size_t length, size_t *width) {
    if ((uint8_t)text[at] < 0x80) {
        *width = 1;
        return ascii_class((uint8_t)text[at]);
    }
    const int32_t character = utf8_next(text + at, length - at, width);
    return character < 0 ? CLASS_SIGN : character_class_of(character);
}

// The end of the run of characters that have one of the wanted properties.
static size_t run_of(unsigned wanted, const char *text, size_t at, size_t length) {
    size_t width = 0;
    while (at < length && (class_at(text, at, length, &width) & wanted) != 0) {
        at += width;
    }
    return at;
}

// The end of the run of characters that are no letter, number or space.
static size_t run_of_signs(const char *text, size_t at, size_t length) {
    size_t width = 0;
    while (at < length && (class_at(text, at, length, &width) &
                           (CLASS_LETTER | CLASS_NUMBER | CLASS_SPACE)) == 0) {
        at += width;
    }
    return at;
}

static size_t run_of_numbers(int most, const char *text, size_t at, size_t length) {
    size_t width = 0;
    for (int n = 0; at < length && (most == 0 || n < most); n++) {
        if ((class_at(text, at, length, &width) & CLASS_NUMBER) == 0) {
            break;
        }
        at += width;
    }
    return at;
}

// How long the contraction after an apostrophe is, 0 where there is none. Without case the long s
// (U+017F) is an s too.
static size_t contraction(const char *text, size_t at, size_t length, bool any_case) {
    if (at + 1 >= length || text[at] != '\'') {
        return 0;
    }
    char letters[2] = {text[at + 1], at + 2 < length ? text[at + 2] : '\0'};
    if (any_case) {
        for (int i = 0; i < 2; i++) {
            letters[i] =
                letters[i] >= 'A' && letters[i] <= 'Z' ? (char)(letters[i] + 32) : letters[i];
        }
        if (letters[0] == '\xC5' && letters[1] == '\xBF') {
            return 3;
        }
    }
    if (strchr("stmd", letters[0]) != NULL && letters[0] != '\0') {
        return 2;
    }
    bool two = (letters[0] == 'r' && letters[1] == 'e') ||
               (letters[0] == 'v' && letters[1] == 'e') || (letters[0] == 'l' && letters[1] == 'l');
    return two ? 3 : 0;
}

// White space up to a word: all of it where nothing follows or it is one character, else all but
// the last, which goes with the word (the pattern's \s+(?!\S)).
static size_t run_of_spaces(const char *text, size_t start, size_t length) {
    size_t last = start;
    size_t at = start;
    size_t width = 0;
    while (at < length && (class_at(text, at, length, &width) & CLASS_SPACE) != 0) {
        last = at;
        at += width;
    }
    return at == length || last == start ? at : last;
}

static size_t next_gpt2(const char *text, size_t start, size_t length) {
    size_t short_form = contraction(text, start, length, false);
    if (short_form != 0) {
        return start + short_form;
    }
    size_t at = start + (text[start] == ' ' && start + 1 < length);
    size_t width = 0;
    unsigned class = class_at(text, at, length, &width);
    if ((class & CLASS_LETTER) != 0) {
        return run_of(CLASS_LETTER, text, at + width, length);
    }
    if ((class & CLASS_NUMBER) != 0) {
        return run_of(CLASS_NUMBER, text, at + width, length);
    }
    if ((class & CLASS_SPACE) == 0) {
        return run_of_signs(text, at + width, length);
    }
    return run_of_spaces(text, start, length);
}

// Signs with one space before and the line ends (and, O200K, strokes) after them; 0: there are
// none.
static size_t signs_and_line_ends(const char *text, size_t start, size_t length, bool strokes) {
    size_t at = start + (text[start] == ' ');
    size_t end = run_of_signs(text, at, length);
    if (end == at) {
        return 0;
    }
    while (end < length &&
           (text[end] == '\r' || text[end] == '\n' || (strokes && text[end] == '/'))) {
        end++;
    }
    return end;
}

// White space: up to the last line end in it, else as in GPT-2.
static size_t spaces_and_line_ends(const char *text, size_t start, size_t length, bool whole_end) {
    size_t end = run_of(CLASS_SPACE, text, start, length);
    if (whole_end && end == length) {
        return end;
    }
    for (size_t at = end; at > start; at--) {
        if (text[at - 1] == '\r' || text[at - 1] == '\n') {
            return at;
        }
    }
    return run_of_spaces(text, start, length);
}

static size_t next_cl100k(const SplitRule *rule, const char *text, size_t start, size_t length) {
    size_t short_form = contraction(text, start, length, true);
    if (short_form != 0) {
        return start + short_form;
    }
    size_t width = 0;
    unsigned class = class_at(text, start, length, &width);
    if ((class & CLASS_NUMBER) != 0) {
        return run_of_numbers(rule->max_digits, text, start, length);
    }
    // One character that is neither letter, number nor line end may stand before the letters.
    size_t letters = (class & (CLASS_LETTER | CLASS_LINE_END)) != 0 ? start : start + width;
    size_t end = run_of(CLASS_LETTER, text, letters, length);
    if (end > letters) {
        return end;
    }
    end = signs_and_line_ends(text, start, length, false);
    return end != 0 ? end : spaces_and_line_ends(text, start, length, rule->whole_end);
}

// Upper case, then at least one of lower case, from `start`; 0: not so. Characters that are both
// (Chinese, marks) belong to the first run, which gives back what the second needs.
static size_t word_in_case(const char *text, size_t start, size_t length) {
    size_t at = start;
    size_t both = 0;
    size_t width = 0;
    while (at < length) {
        unsigned class = class_at(text, at, length, &width);
        if ((class & CLASS_UPPER) == 0) {
            break;
        }
        at += width;
        both = (class & CLASS_LOWER) != 0 ? at : both;
    }
    size_t end = run_of(CLASS_LOWER, text, at, length);
    return end > at ? end : both;
}

// Letters of one case pattern with a sign before them, from `start`; 0: there are none.
static size_t cased_word(const char *text, size_t start, size_t length) {
    size_t width = 0;
    unsigned class = class_at(text, start, length, &width);
    size_t starts[2] = {start, start};
    if ((class & (CLASS_LETTER | CLASS_NUMBER | CLASS_LINE_END)) == 0) {
        starts[0] = start + width;
    }
    size_t end = 0;
    for (int i = 0; i < 2 && end == 0; i++) {
        end = word_in_case(text, starts[i], length);
    }
    for (int i = 0; i < 2 && end == 0; i++) {
        size_t capitals = run_of(CLASS_UPPER, text, starts[i], length);
        end = capitals > starts[i] ? capitals : 0;
    }
    return end;
}

static size_t next_o200k(const SplitRule *rule, const char *text, size_t start, size_t length) {
    size_t end = cased_word(text, start, length);
    if (end != 0) {
        return rule->no_contractions ? end : end + contraction(text, end, length, true);
    }
    size_t width = 0;
    if ((class_at(text, start, length, &width) & CLASS_NUMBER) != 0) {
        return run_of_numbers(rule->max_digits, text, start, length);
    }
    end = signs_and_line_ends(text, start, length, true);
    return end != 0 ? end : spaces_and_line_ends(text, start, length, false);
}

static size_t next_mark(const char *text, size_t start, size_t length) {
    const char *mark = memmem(text + start + 1, length - start - 1, "\xE2\x96\x81", 3);
    return mark == NULL ? length : (size_t)(mark - text);
}

// ---- the rules of Hugging Face's other pre-tokenizers

static size_t next_digits(const SplitRule *rule, const char *text, size_t start, size_t length) {
    const size_t numbers = run_of_numbers(rule->max_digits, text, start, length);
    if (numbers > start) {
        return numbers;
    }
    size_t at = start;
    size_t width = 0;
    while (at < length && (class_at(text, at, length, &width) & CLASS_NUMBER) == 0) {
        at += width;
    }
    return at;
}

// The end of the run of characters for which the property is as wanted.
static size_t run_where(bool (*has_property)(int32_t), bool wanted, const char *text, size_t at,
                        size_t length) {
    size_t width = 0;
    while (at < length && has_property(utf8_next(text + at, length - at, &width)) == wanted) {
        at += width;
    }
    return at;
}

static size_t next_between_spaces(const char *text, size_t start, size_t length) {
    const bool is_space = byte_split_is_space(text, start, length);
    return run_where(character_class_is_space, is_space, text, start, length);
}

static size_t next_word(const char *text, size_t start, size_t length) {
    const size_t end = next_between_spaces(text, start, length);
    const size_t word = run_where(character_class_is_word, true, text, start, end);
    return word > start ? word : run_where(character_class_is_word, false, text, start, end);
}

static size_t next_sign(const char *text, size_t start, size_t length) {
    const size_t end = run_where(character_class_is_punctuation, false, text, start, length);
    size_t width = 0;
    utf8_next(text + start, length - start, &width);
    return end > start ? end : start + width;
}

static size_t next_clip(const char *text, size_t start, size_t length) {
    const size_t short_form = contraction(text, start, length, false);
    if (short_form != 0) {
        return start + short_form;
    }
    size_t width = 0;
    const unsigned class = class_at(text, start, length, &width);
    if ((class & CLASS_NUMBER) != 0) {
        return start + width;
    }
    const unsigned same = class & (CLASS_LETTER | CLASS_SPACE);
    return same != 0 ? run_of(same, text, start, length) : run_of_signs(text, start, length);
}

bool byte_split_drops_spaces(const SplitRule *rule) {
    return rule->family == SPLIT_SPACES || rule->family == SPLIT_WORDS ||
           rule->family == SPLIT_CLIP;
}

bool byte_split_is_space(const char *text, size_t start, size_t length) {
    size_t width = 0;
    return (class_at(text, start, length, &width) & CLASS_SPACE) != 0;
}

size_t byte_split_next(const SplitRule *rule, const char *text, size_t start, size_t length) {
    assert(start < length);
    switch (rule->family) {
    case SPLIT_GPT2:
        return next_gpt2(text, start, length);
    case SPLIT_CL100K:
        return next_cl100k(rule, text, start, length);
    case SPLIT_O200K:
        return next_o200k(rule, text, start, length);
    case SPLIT_MARKS:
        return next_mark(text, start, length);
    case SPLIT_DIGITS:
        return next_digits(rule, text, start, length);
    case SPLIT_SPACES:
        return next_between_spaces(text, start, length);
    case SPLIT_WORDS:
        return next_word(text, start, length);
    case SPLIT_SIGNS:
        return next_sign(text, start, length);
    case SPLIT_CLIP:
        return next_clip(text, start, length);
    case SPLIT_NONE:
        break;
    }
    return length;
}
