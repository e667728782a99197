// lesson_question.c - the body of a question: what is asked, the answers, what to say after.
#include <stdlib.h>
#include <string.h>

#include "engine/lessons/lesson_private.h"

enum { MAX_CHOICES = 9 };

static const char CLAIM_SIGN[] = " :: ";

typedef enum Part { PART_ASK, PART_ANSWER, PART_AFTER } Part;

typedef struct Reader {
    LessonQuestion *question;
    Arena *arena;
    const char *path;
    int line;
    int n_right;
    LessonWriter raw[3]; // what was gathered of each part, still Markdown
} Reader;

static bool is_choice(const char *line) {
    return strncmp(line, "- [", 3) == 0 && line[3] != '\0' && line[4] == ']';
}

// " :: claim" at the end of a choice; NULL where there is none.
static const char *find_claim(const char *line, size_t length) {
    return memmem(line, length, CLAIM_SIGN, sizeof CLAIM_SIGN - 1);
}

static bool read_choice_claim(Reader *reader, LessonChoice *choice, const char *sign, size_t length,
                              Error *err) {
    const size_t skip = sizeof CLAIM_SIGN - 1;
    Claim *claim = arena_allocate(reader->arena, sizeof *claim);
    choice->claim = claim;
    const char *text = arena_format(reader->arena, "%.*s", (int)(length - skip), sign + skip);
    return claim_parse(claim, reader->arena, reader->path, reader->line, text, err);
}

static bool read_choice(Reader *reader, const char *line, size_t length, Error *err) {
    LessonQuestion *question = reader->question;
    if (line[3] != ' ' && line[3] != 'x') {
        return error_set(err, "%s:%d: expected \"- [ ]\" or \"- [x]\", found \"%.5s\"",
                         reader->path, reader->line, line);
    }
    if (question->n_choices == MAX_CHOICES || question->cell != NULL) {
        return error_set(err, "%s:%d: expected %s, found one more", reader->path, reader->line,
                         question->cell != NULL ? "one number alone" : "at most nine choices");
    }
    if (question->choices == NULL) {
        question->choices = arena_allocate(reader->arena, MAX_CHOICES * sizeof *question->choices);
    }
    bool is_right = line[3] == 'x';
    reader->n_right += is_right;
    LessonChoice *choice = &question->choices[question->n_choices++];
    const char *claim = find_claim(line, length);
    size_t text_length = claim == NULL ? length : (size_t)(claim - line);
    *choice = (LessonChoice){.is_right = is_right, .why = {.text = "", .marks = "", .spoken = ""}};
    choice->text = lesson_read_prose(reader->arena, line + 5, text_length - 5);
    return claim == NULL || read_choice_claim(reader, choice, claim, length - text_length, err);
}

// "= stage[i,j] ± tolerance"
static bool read_number(Reader *reader, const char *line, size_t length, Error *err) {
    static const char SIGN[] = "±";
    LessonQuestion *question = reader->question;
    char *body = arena_format(reader->arena, "%.*s", (int)length - 1, line + 1);
    char *sign = strstr(body, SIGN);
    char *start = body + strspn(body, " ");
    char *close = strchr(start, ']');
    char *end = NULL;
    double tolerance = sign == NULL ? -1.0 : strtod(sign + sizeof SIGN - 1, &end);
    bool is_good = sign != NULL && end != sign + sizeof SIGN - 1 && end[strspn(end, " ")] == '\0' &&
                   tolerance >= 0.0 && close != NULL && close < sign && strchr(start, '[') != NULL;
    if (!is_good || question->n_choices > 0 || question->cell != NULL) {
        return error_set(err, "%s:%d: expected \"= stage[i,j] ± tolerance\" alone, found \"%.*s\"",
                         reader->path, reader->line, (int)length, line);
    }
    close[1] = '\0';
    question->cell = start;
    question->cell_line = reader->line;
    question->tolerance = tolerance;
    return true;
}

// An indented line after a choice.
static void read_why(Reader *reader, const char *line, size_t length) {
    LessonQuestion *question = reader->question;
    LessonText *why = &question->choices[question->n_choices - 1].why;
    const char *both = arena_format(reader->arena, "%s%s%.*s", why->text,
                                    why->text[0] != '\0' ? " " : "", (int)length, line);
    *why = lesson_read_prose(reader->arena, both, strlen(both));
}

static void gather(Reader *reader, Part part, const char *line, size_t length) {
    lesson_write(&reader->raw[part], line, length, '.');
    lesson_write(&reader->raw[part], "\n", 1, '.');
}

static bool read_lines(Reader *reader, const char *body, Error *err) {
    Part part = PART_ASK;
    for (; *body != '\0'; reader->line++) {
        size_t length = strcspn(body, "\n");
        bool is_answer = is_choice(body) || (length > 1 && body[0] == '=' && body[1] == ' ');
        if (is_answer) {
            if (part == PART_AFTER) {
                return error_set(err, "%s:%d: expected the answers together, found one after text",
                                 reader->path, reader->line);
            }
            part = PART_ANSWER;
            if (!(body[0] == '=' ? read_number(reader, body, length, err)
                                 : read_choice(reader, body, length, err))) {
                return false;
            }
        } else if (part == PART_ANSWER && reader->question->n_choices > 0 &&
                   strspn(body, " ") >= 2 && strspn(body, " ") < length) {
            size_t indent = strspn(body, " ");
            read_why(reader, body + indent, length - indent);
        } else {
            bool is_blank = strspn(body, " ") >= length;
            part = part == PART_ANSWER && !is_blank ? PART_AFTER : part;
            gather(reader, part == PART_ANSWER ? PART_ASK : part, body, length);
        }
        body += length + (body[length] == '\n');
    }
    return true;
}

static LessonText prose_of(Reader *reader, Part part) {
    LessonText raw = lesson_written(&reader->raw[part]);
    return lesson_read_prose(reader->arena, raw.text, strlen(raw.text));
}

bool lesson_read_question(LessonQuestion *question, Arena *arena, const char *path, int line,
                          const char *body, Error *err) {
    *question = (LessonQuestion){.cell = NULL};
    Reader reader = {.question = question, .arena = arena, .path = path, .line = line};
    for (int part = 0; part < 3; part++) {
        reader.raw[part].arena = arena;
    }
    if (!read_lines(&reader, body, err)) {
        return false;
    }
    question->ask = prose_of(&reader, PART_ASK);
    question->after = prose_of(&reader, PART_AFTER);
    if (question->ask.text[0] == '\0') {
        return error_set(err, "%s:%d: expected the text of a question, found none", path, line);
    }
    bool has_choices = question->n_choices >= 2 && reader.n_right >= 1;
    if (question->cell == NULL && !has_choices) {
        return error_set(err,
                         "%s:%d: expected two choices or more, \"- [x]\" before the right one, or "
                         "\"= stage[i,j] ± tolerance\"",
                         path, line);
    }
    return true;
}
