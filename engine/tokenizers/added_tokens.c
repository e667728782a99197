// added_tokens.c - pieces that a text may name in full, found before anything is merged, by the
// rules of Hugging Face's added tokens.
#include "engine/tokenizers/added_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/tokenizer_private.h"

void added_tokens_append(AddedTokens *set, const AddedToken *token, const char *text,
                         size_t length) {
    if (length == 0) {
        return;
    }
    set->items = memory_resize(set->items, (size_t)(set->n_items + 1) * sizeof *set->items);
    int at = set->n_items++;
    while (at > 0 && set->items[at - 1].length < length) {
        set->items[at] = set->items[at - 1];
        at--;
    }
    set->items[at] = (AddedText){.token = *token, .start = set->texts.length, .length = length};
    buffer_append(&set->texts, text, length);
    set->n_starts += !set->starts[(uint8_t)text[0]];
    const int start = (uint8_t)text[0];
    set->only_start = set->n_items == 1 || set->only_start == start ? start : -1;
    set->starts[start] = true;
}

void added_tokens_free(AddedTokens *set) {
    free(set->items);
    buffer_free(&set->texts);
    *set = (AddedTokens){0};
}

static const AddedText *longest_at(const AddedTokens *set, const char *text, size_t length) {
    for (int i = 0; i < set->n_items; i++) {
        const AddedText *item = &set->items[i];
        if (item->length <= length &&
            memcmp(set->texts.bytes + item->start, text, item->length) == 0) {
            return item;
        }
    }
    return NULL;
}

// ---- what stands beside it

// Where the character that ends at `end` begins.
static size_t char_before(const char *text, size_t end) {
    size_t start = end - 1;
    while (start > 0 && end - start < 4 && utf8_is_inside(text[start])) {
        start--;
    }
    return start;
}

static int32_t code_at(const char *text, size_t start, size_t end) {
    size_t width = 0;
    return utf8_next(text + start, end - start, &width);
}

static bool stands_in_word(const char *text, size_t length, size_t start, size_t end) {
    return (start > 0 && character_class_is_word(code_at(text, char_before(text, start), start))) ||
           (end < length && character_class_is_word(code_at(text, end, length)));
}

static size_t spaces_before(const char *text, size_t end) {
    while (end > 0) {
        const size_t start = char_before(text, end);
        if (!character_class_is_space(code_at(text, start, end))) {
            break;
        }
        end = start;
    }
    return end;
}

static size_t spaces_behind(const char *text, size_t length, size_t start) {
    while (start < length) {
        size_t width = 0;
        if (!character_class_is_space(utf8_next(text + start, length - start, &width))) {
            break;
        }
        start += width;
    }
    return start;
}

// ---- finding

// The first byte from `at` on that one of them begins with, or length. Mostly all begin with "<".
static size_t next_start(const AddedTokens *set, const char *text, size_t at, size_t length) {
    if (set->n_starts == 1) {
        const char *found = memchr(text + at, set->texts.bytes[0], length - at);
        return found == NULL ? length : (size_t)(found - text);
    }
    while (at < length && !set->starts[(uint8_t)text[at]]) {
        at++;
    }
    return at;
}

bool added_tokens_next(const AddedTokens *set, bool finds_special, const char *text, size_t length,
                       AddedScan *scan, AddedMatch *match) {
    while (set->n_items > 0 && (scan->at = next_start(set, text, scan->at, length)) < length) {
        const char *next = set->only_start < 0
                               ? text + scan->at
                               : memchr(text + scan->at, set->only_start, length - scan->at);
        if (next == NULL) {
            scan->at = length;
            break;
        }
        const size_t start = (size_t)(next - text);
        scan->at = start;
        const AddedText *item = longest_at(set, text + start, length - start);
        if (item == NULL) {
            scan->at++;
            continue;
        }
        const AddedToken *token = &item->token;
        const size_t end = start + item->length;
        scan->at = end; // the white space that it takes may hold another
        if ((token->is_special && !finds_special) ||
            (token->single_word && stands_in_word(text, length, start, end))) {
            continue;
        }
        const size_t left = token->takes_left ? spaces_before(text, start) : start;
        *match = (AddedMatch){
            .id = token->id,
            .start = token->takes_left && left < scan->done ? scan->done : left,
            .end = token->takes_right ? spaces_behind(text, length, end) : end,
        };
        if (match->start >= match->end) {
            continue; // the one before it took all of it
        }
        scan->done = match->end;
        return true;
    }
    return false;
}
