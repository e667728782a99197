// support_corpus_read.c - reads the corpus: its words, its grammar and its stories.
#include "tests/support_corpus.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

// A file's lines; the bytes are changed while they are read.
typedef struct Lines {
    char *next; // NULL after the last
    Place place;
} Lines;

// The next line without its end and the white space before that, NULL after the last.
static char *next_line(Lines *lines) {
    char *line = lines->next;
    if (line == NULL || *line == '\0') {
        return NULL;
    }
    char *end = strchr(line, '\n');
    lines->next = end == NULL ? NULL : end + 1;
    end = end == NULL ? line + strlen(line) : end;
    while (end > line && strchr(" \t\r\n", end[-1]) != NULL) {
        end--;
    }
    *end = '\0';
    lines->place.line++;
    return line;
}

static bool is_ascii(const char *line) {
    for (; *line != '\0'; line++) {
        if (*line < ' ' || *line > '~') {
            return false;
        }
    }
    return true;
}

static bool check_ascii(const char *line, Place place, Error *err) {
    return is_ascii(line) || error_set(err, "%s:%d: expected ASCII only", place.path, place.line);
}

// ---- words.txt

static WordClass *find_class(Corpus *corpus, const char *name) {
    for (int i = 0; i < corpus->n_classes; i++) {
        if (strcmp(corpus->classes[i].name, name) == 0) {
            return &corpus->classes[i];
        }
    }
    return NULL;
}

static void append_word(Corpus *corpus, WordClass *class, const char *word) {
    const char **words =
        arena_allocate(&corpus->arena, (size_t)(class->n_words + 1) * sizeof *words);
    if (class->n_words > 0) {
        memcpy(words, class->words, (size_t) class->n_words * sizeof *words);
    }
    words[class->n_words++] = word;
    class->words = words;
}

// A word, or {toy}: all words of another class.
static bool take_word(Corpus *corpus, WordClass *class, char *word, Place place, Error *err) {
    if (word[0] != '{') {
        append_word(corpus, class, arena_text(&corpus->arena, word));
        return true;
    }
    word[strcspn(word, "}")] = '\0';
    const WordClass *other = find_class(corpus, word + 1);
    if (other == NULL || other == class) {
        return error_set(err, "%s:%d: expected a class above, found \"%.40s\"", place.path,
                         place.line, word + 1);
    }
    for (int i = 0; i < other->n_words; i++) {
        append_word(corpus, class, other->words[i]);
    }
    return true;
}

static bool take_gendered(Corpus *corpus, char *pair, Place place, Error *err) {
    char *slash = strchr(pair, '/');
    if (slash == NULL || corpus->n_gendered == CORPUS_MAX_CLASSES) {
        return error_set(err, "%s:%d: expected a pair such as he/she, found \"%.40s\"", place.path,
                         place.line, pair);
    }
    *slash = '\0';
    corpus->gendered[corpus->n_gendered++] =
        (Gendered){arena_text(&corpus->arena, pair), arena_text(&corpus->arena, slash + 1)};
    return true;
}

static bool take_words(Corpus *corpus, WordClass *class, char *list, Place place, Error *err) {
    char *rest = NULL;
    bool ok = true;
    for (char *word = strtok_r(list, ",", &rest); ok && word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        word += strspn(word, " ");
        if (*word != '\0') {
            ok = class == NULL ? take_gendered(corpus, word, place, err)
                               : take_word(corpus, class, word, place, err);
        }
    }
    return ok;
}

// "name: word, word"; a line that begins with a space goes on. The pairs of "gendered" are no
// class.
static bool read_words(Corpus *corpus, Lines *lines, Error *err) {
    WordClass *class = NULL;
    bool is_begun = false;
    bool ok = true;
    for (char *line = next_line(lines); ok && line != NULL; line = next_line(lines)) {
        ok = check_ascii(line, lines->place, err);
        if (!ok || line[0] == '#' || line[0] == '\0') {
            continue;
        }
        char *list = line;
        if (line[0] != ' ') {
            char *colon = strchr(line, ':');
            if (colon == NULL || corpus->n_classes == CORPUS_MAX_CLASSES) {
                return error_set(err, "%s:%d: expected \"class: word, word\", found \"%.40s\"",
                                 lines->place.path, lines->place.line, line);
            }
            *colon = '\0';
            list = colon + 1;
            is_begun = true;
            class = NULL;
            if (strcmp(line, "gendered") != 0) {
                class = &corpus->classes[corpus->n_classes++];
                *class = (WordClass){.name = arena_text(&corpus->arena, line)};
            }
        }
        ok = is_begun ? take_words(corpus, class, list, lines->place, err)
                      : error_set(err, "%s:%d: expected \"class: word, word\"", lines->place.path,
                                  lines->place.line);
    }
    const WordClass *girl = find_class(corpus, "girl");
    const WordClass *boy = find_class(corpus, "boy");
    if (ok && (girl == NULL || boy == NULL || girl->n_words < 2 || boy->n_words < 2)) {
        return error_set(err, "%s: expected two names or more in each of the classes girl and boy",
                         lines->place.path);
    }
    corpus->girl = ok ? (int)(girl - corpus->classes) : 0;
    corpus->boy = ok ? (int)(boy - corpus->classes) : 0;
    return ok;
}

// ---- grammar.txt

// A whole number from 1, else 0.
static int read_share(const char *text) {
    char *end = NULL;
    long share = text == NULL ? 0 : strtol(text, &end, 10);
    return share > 0 && share < 1 << 20 && *end == '\0' ? (int)share : 0;
}

// "rule NAME", "text NAME SHARE" or "stories SHARE".
static bool begin_section(Corpus *corpus, char *line, Choice **section, Place place, Error *err) {
    char *shown = arena_text(&corpus->arena, line);
    char *rest = NULL;
    const char *kind = strtok_r(line, " ", &rest);
    const char *second = strtok_r(NULL, " ", &rest);
    const char *third = strtok_r(NULL, " ", &rest);
    bool has_room = corpus->n_kinds < CORPUS_MAX_NAMED && corpus->n_rules < CORPUS_MAX_NAMED;
    *section = NULL;
    if (strcmp(kind, "stories") == 0 && read_share(second) > 0 && third == NULL) {
        corpus->kinds[0].share = read_share(second);
        return true;
    }
    if (has_room && strcmp(kind, "text") == 0 && read_share(third) > 0) {
        *section = &corpus->kinds[corpus->n_kinds++];
        (*section)->share = read_share(third);
    } else if (has_room && strcmp(kind, "rule") == 0 && second != NULL && third == NULL) {
        *section = &corpus->rules[corpus->n_rules++];
    } else {
        return error_set(err,
                         "%s:%d: expected \"rule NAME\", \"text NAME SHARE\" or \"stories SHARE\", "
                         "found \"%.40s\"",
                         place.path, place.line, shown);
    }
    (*section)->name = arena_text(&corpus->arena, second);
    return true;
}

static bool end_template(Corpus *corpus, Choice *section, Buffer *text, Place place, Error *err) {
    bool ok = text->length == 0 || corpus_read_template(corpus, section, text->bytes, place, err);
    text->length = 0;
    return ok;
}

// A section's alternatives stand below it, each after four spaces; eight go on with it.
static bool read_grammar(Corpus *corpus, Lines *lines, Error *err) {
    Choice *section = NULL;
    Buffer text = {0};
    Place begun = lines->place;
    bool ok = true;
    for (char *line = next_line(lines); ok && line != NULL; line = next_line(lines)) {
        ok = check_ascii(line, lines->place, err);
        size_t indent = strspn(line, " ");
        if (!ok || line[0] == '#' || line[0] == '\0') {
            continue;
        }
        if (indent < 8) {
            ok = end_template(corpus, section, &text, begun, err);
            begun = lines->place;
        }
        if (ok && indent == 0) {
            ok = begin_section(corpus, line, &section, lines->place, err);
        } else if (ok && (section == NULL || (indent != 4 && text.length == 0))) {
            ok = error_set(err, "%s:%d: expected an alternative of a rule or text, after 4 spaces",
                           lines->place.path, lines->place.line);
        } else if (ok) {
            buffer_format(&text, "%s%s", text.length == 0 ? "" : " ", line + indent);
        }
    }
    ok = ok && end_template(corpus, section, &text, begun, err);
    buffer_free(&text);
    for (int i = 1; ok && i < corpus->n_kinds; i++) {
        ok = corpus->kinds[i].n > 0 || error_set(err, "%s: text %s: expected alternatives below it",
                                                 lines->place.path, corpus->kinds[i].name);
    }
    for (int i = 0; ok && i < corpus->n_rules; i++) {
        ok = corpus->rules[i].n > 0 || error_set(err, "%s: rule %s: expected alternatives below it",
                                                 lines->place.path, corpus->rules[i].name);
    }
    return ok;
}

// ---- stories.txt

static void keep_story(Corpus *corpus, const char *text, int line) {
    size_t n = (size_t)corpus->n_stories + 1;
    if ((n & (n - 1)) == 0) { // room for twice as many
        corpus->stories = memory_resize(corpus->stories, 2 * n * sizeof(const Alternative *));
        corpus->story_texts = memory_resize(corpus->story_texts, 2 * n * sizeof(const char *));
        corpus->story_lines = memory_resize(corpus->story_lines, 2 * n * sizeof(int));
    }
    corpus->stories[n - 1] = corpus->kinds[0].last;
    corpus->story_texts[n - 1] = arena_text(&corpus->arena, text);
    corpus->story_lines[n - 1] = line;
    corpus->n_stories++;
}

static bool end_story(Corpus *corpus, Buffer *text, Place place, Error *err) {
    if (text->length == 0) {
        return true;
    }
    bool ok = corpus_read_template(corpus, &corpus->kinds[0], text->bytes, place, err);
    if (ok) {
        keep_story(corpus, text->bytes, place.line);
    }
    text->length = 0;
    return ok;
}

// Blank lines part them.
static bool read_stories(Corpus *corpus, Lines *lines, Error *err) {
    Buffer text = {0};
    Place begun = lines->place;
    bool ok = true;
    for (char *line = next_line(lines); ok && line != NULL; line = next_line(lines)) {
        ok = check_ascii(line, lines->place, err);
        if (ok && line[0] == '\0') {
            ok = end_story(corpus, &text, begun, err);
        } else if (ok && line[0] != '#') {
            begun = text.length == 0 ? lines->place : begun;
            buffer_format(&text, "%s%s", text.length == 0 ? "" : " ", line);
        }
    }
    ok = ok && end_story(corpus, &text, begun, err);
    buffer_free(&text);
    return ok && (corpus->n_stories >= CORPUS_HELD_OUT ||
                  error_set(err, "%s: expected %d stories or more, found %d", lines->place.path,
                            CORPUS_HELD_OUT, corpus->n_stories));
}

// ---- all three

static bool read_file(Corpus *corpus, const char *folder, const char *name,
                      bool (*read)(Corpus *, Lines *, Error *), Error *err) {
    char *path = file_join(folder, name);
    Buffer bytes = {0};
    bool ok = buffer_load(&bytes, path, err) &&
              (bytes.length == 0 || strlen(bytes.bytes) == bytes.length ||
               error_set(err, "%s: expected ASCII only, found a NUL", path));
    if (ok) {
        Lines lines = {.next = bytes.bytes, .place = {.path = path, .line = 0}};
        ok = read(corpus, &lines, err);
    }
    buffer_free(&bytes);
    free(path);
    return ok;
}

bool corpus_load(Corpus *corpus, const char *folder, Error *err) {
    *corpus = (Corpus){.n_kinds = 1};
    corpus->kinds[0] = (Choice){.name = "stories", .share = 1};
    bool ok = read_file(corpus, folder, "words.txt", read_words, err) &&
              read_file(corpus, folder, "grammar.txt", read_grammar, err) &&
              read_file(corpus, folder, "stories.txt", read_stories, err);
    if (!ok) {
        corpus_free(corpus);
    }
    return ok;
}

void corpus_free(Corpus *corpus) {
    free(corpus->stories);
    free(corpus->story_texts);
    free(corpus->story_lines);
    arena_free(&corpus->arena);
    *corpus = (Corpus){.n_kinds = 0};
}
