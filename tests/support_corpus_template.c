// support_corpus_template.c - reads a text with slots: {A}, {A:he}, {a toy}, {rule}, [one|other].
#include "tests/support_corpus.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NESTED = 4, MAX_SLOT = 48 };

typedef struct Reader {
    Corpus *corpus;
    const char *at;
    Place place;
    Error *err;
} Reader;

static bool fail(const Reader *reader, const char *what, const char *found) {
    return error_set(reader->err, "%s:%d: %s, found \"%.40s\"", reader->place.path,
                     reader->place.line, what, found);
}

static Part *append(Reader *reader, Part **tail, PartKind kind) {
    Part *part = arena_allocate(&reader->corpus->arena, sizeof *part);
    part->kind = kind;
    if (*tail != NULL) {
        (*tail)->next = part;
    }
    *tail = part;
    return part;
}

static bool read_person(Reader *reader, Part *part, const char *slot) {
    part->kind = slot[1] == '\0' ? PART_PERSON : PART_GENDERED;
    part->person = slot[0] - 'A';
    if (part->kind == PART_PERSON) {
        return true;
    }
    const char *form = slot + 2;
    part->is_capital = isupper((unsigned char)form[0]) != 0;
    for (int i = 0; i < reader->corpus->n_gendered; i++) {
        const char *male = reader->corpus->gendered[i].male;
        if (strcasecmp(form, male) == 0 && strcmp(form + 1, male + 1) == 0) {
            part->list = i;
            return true;
        }
    }
    return fail(reader, "expected a form that words.txt lists under \"gendered\"", form);
}

static bool read_word(Reader *reader, Part *part, char *slot) {
    char *name = slot;
    size_t length = strlen(slot);
    if (strncasecmp(slot, "a ", 2) == 0) {
        part->has_article = true;
        name = slot + 2;
        length -= 2;
    }
    part->is_capital = isupper((unsigned char)slot[0]) != 0;
    if (length > 1 && name[length - 1] >= '2' && name[length - 1] <= '9') {
        part->which = name[length - 1] - '1';
        name[length - 1] = '\0';
    }
    name[0] = (char)tolower((unsigned char)name[0]);
    for (int i = 0; i < reader->corpus->n_classes; i++) {
        if (strcmp(name, reader->corpus->classes[i].name) == 0) {
            part->kind = PART_WORD;
            part->list = i;
            return part->which < reader->corpus->classes[i].n_words ||
                   fail(reader, "expected a class with so many words", slot);
        }
    }
    return fail(reader, "expected a person, a class of words.txt or a rule above", slot);
}

static bool read_slot(Reader *reader, Part **tail) {
    char slot[MAX_SLOT] = "";
    const char *end = strpbrk(reader->at + 1, "{}[]|");
    if (end == NULL || *end != '}' || end - reader->at > MAX_SLOT) {
        return fail(reader, "expected a slot with its closing brace", reader->at);
    }
    memcpy(slot, reader->at + 1, (size_t)(end - reader->at - 1));
    reader->at = end + 1;
    Part *part = append(reader, tail, PART_WORD);
    if (slot[0] >= 'A' && slot[0] <= 'C' && (slot[1] == '\0' || slot[1] == ':')) {
        return read_person(reader, part, slot);
    }
    for (int i = 0; i < reader->corpus->n_rules; i++) {
        if (strcmp(slot, reader->corpus->rules[i].name) == 0) {
            part->kind = PART_CHOICE;
            part->choice = &reader->corpus->rules[i];
            return true;
        }
    }
    return read_word(reader, part, slot);
}

static void read_text(Reader *reader, Part **tail) {
    size_t length = strcspn(reader->at, "{}[]|");
    append(reader, tail, PART_TEXT)->text =
        arena_format(&reader->corpus->arena, "%.*s", (int)length, reader->at);
    reader->at += length;
}

// Up to the end, or to the bracket that closes the choice; depth counts the brackets around it.
static bool read_alternatives(Reader *reader, Choice *choice, int depth) {
    do {
        Alternative *alternative = arena_allocate(&reader->corpus->arena, sizeof *alternative);
        Part *tail = append(reader, &(Part *){NULL}, PART_TEXT);
        tail->text = "";
        alternative->first = tail;
        *(choice->last != NULL ? &choice->last->next : &choice->first) = alternative;
        choice->last = alternative;
        choice->n++;
        bool ok = true;
        while (ok && *reader->at != '\0' && *reader->at != ']' && *reader->at != '|') {
            if (*reader->at == '[' && depth < MAX_NESTED) {
                Choice *inner = arena_allocate(&reader->corpus->arena, sizeof *inner);
                append(reader, &tail, PART_CHOICE)->choice = inner;
                inner->name = "";
                reader->at++;
                ok = read_alternatives(reader, inner, depth + 1);
                ok = ok && (*reader->at == ']' || fail(reader, "expected ]", "the end"));
                reader->at += ok ? 1 : 0;
            } else if (*reader->at == '{') {
                ok = read_slot(reader, &tail);
            } else if (*reader->at == '}' || *reader->at == '[') {
                ok = fail(reader, "expected text or a slot", reader->at);
            } else {
                read_text(reader, &tail);
            }
        }
        if (!ok) {
            return false;
        }
    } while (depth > 0 && *reader->at == '|' && reader->at++);
    return true;
}

bool corpus_read_template(Corpus *corpus, Choice *choice, const char *text, Place place,
                          Error *err) {
    Reader reader = {.corpus = corpus, .at = text, .place = place, .err = err};
    return read_alternatives(&reader, choice, 0) &&
           (*reader.at == '\0' || fail(&reader, "expected text or a slot", reader.at));
}
