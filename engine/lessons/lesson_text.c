// lesson_text.c - prose of a lesson as one text with marks, and the lines of a fence.
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/lessons/lesson_private.h"

static void speak(LessonWriter *writer, const char *bytes, size_t length) {
    if (writer->spoken == NULL || writer->spoken_length + length + 1 > writer->spoken_capacity) {
        size_t capacity = 2 * (writer->spoken_length + length) + 64;
        char *spoken = arena_allocate(writer->arena, capacity);
        if (writer->spoken != NULL) {
            memcpy(spoken, writer->spoken, writer->spoken_length);
        }
        writer->spoken = spoken;
        writer->spoken_capacity = capacity;
    }
    memcpy(writer->spoken + writer->spoken_length, bytes, length);
    writer->spoken_length += length;
    writer->spoken[writer->spoken_length] = '\0';
}

void lesson_write(LessonWriter *writer, const char *bytes, size_t length, char mark) {
    if (writer->text == NULL || writer->length + length + 1 > writer->capacity) {
        size_t capacity = 2 * (writer->length + length) + 64;
        char *text = arena_allocate(writer->arena, capacity);
        char *marks = arena_allocate(writer->arena, capacity);
        if (writer->text != NULL) {
            memcpy(text, writer->text, writer->length);
            memcpy(marks, writer->marks, writer->length);
        }
        writer->text = text;
        writer->marks = marks;
        writer->capacity = capacity;
    }
    memcpy(writer->text + writer->length, bytes, length);
    memset(writer->marks + writer->length, mark, length);
    writer->length += length;
    writer->text[writer->length] = '\0';
    writer->marks[writer->length] = '\0';
    if (!writer->is_unspoken) {
        speak(writer, bytes, length);
    }
}

LessonText lesson_written(LessonWriter *writer) {
    if (writer->text == NULL) {
        lesson_write(writer, "", 0, '.');
    }
    return (LessonText){writer->text, writer->marks, writer->spoken, writer->place,
                        writer->n_places};
}

static bool is_wide(utf8proc_int32_t codepoint) {
    return codepoint > 0 && utf8proc_charwidth(codepoint) == 2;
}

static utf8proc_int32_t first_of(const char *text) {
    utf8proc_int32_t codepoint = -1;
    if (text != NULL && text[0] != '\0') {
        utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &codepoint);
    }
    return codepoint;
}

static utf8proc_int32_t last_of(const LessonWriter *writer) {
    size_t at = writer->length;
    while (at > 0 && utf8_is_inside(writer->text[at - 1])) {
        at--;
    }
    return at > 0 ? first_of(writer->text + at - 1) : -1;
}

// Chinese is written without spaces: a line may end anywhere in it.
static void write_line_end(LessonWriter *writer, cmark_node *node, char mark) {
    cmark_node *next = cmark_node_next(node);
    while (next != NULL && cmark_node_first_child(next) != NULL) {
        next = cmark_node_first_child(next);
    }
    const char *literal = next == NULL ? NULL : cmark_node_get_literal(next);
    if (!is_wide(last_of(writer)) || !is_wide(first_of(literal))) {
        lesson_write(writer, " ", 1, mark);
    }
}

static bool is_of_screen(cmark_node *node) {
    const char *address =
        cmark_node_get_type(node) == CMARK_NODE_LINK ? cmark_node_get_url(node) : NULL;
    return address != NULL && address[0] == ':';
}

// Where a link leads within lessons; NULL: it is none, or leads elsewhere.
static const char *place_of(cmark_node *node) {
    static const char START[] = "lesson:";
    const char *address =
        cmark_node_get_type(node) == CMARK_NODE_LINK ? cmark_node_get_url(node) : NULL;
    bool is_place = address != NULL && strncmp(address, START, sizeof START - 1) == 0;
    return is_place ? address + sizeof START - 1 : NULL;
}

// Who has no keys is told the command behind the link's words.
static void end_link(LessonWriter *writer, const char *place) {
    static const char COMMAND[] = " (\"jump\")";
    speak(writer, COMMAND, sizeof COMMAND - 1);
    writer->place = arena_text(writer->arena, place);
    writer->n_places++;
}

// Says what stands for the words of the screen, whose text follows.
static void speak_instead(LessonWriter *writer, cmark_node *link) {
    const char *title = cmark_node_get_title(link);
    const char *command = cmark_node_get_url(link) + 1;
    bool has_title = title != NULL && title[0] != '\0';
    speak(writer, "\"", has_title ? 0 : 1);
    speak(writer, has_title ? title : command, strlen(has_title ? title : command));
    speak(writer, "\"", has_title ? 0 : 1);
}

static char mark_of(cmark_node *node) {
    for (; node != NULL; node = cmark_node_parent(node)) {
        switch ((int)cmark_node_get_type(node)) {
        case CMARK_NODE_CODE:
            return '`';
        case CMARK_NODE_STRONG:
            return 's';
        case CMARK_NODE_EMPH:
            return 'e';
        case CMARK_NODE_LINK:
            return is_of_screen(node) ? '.' : 'l';
        default:
            break;
        }
    }
    return '.';
}

void lesson_write_inlines(LessonWriter *writer, cmark_node *block) {
    cmark_iter *iterator = cmark_iter_new(block);
    cmark_event_type event = CMARK_EVENT_NONE;
    while ((event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iterator);
        const char *literal = cmark_node_get_literal(node);
        if (is_of_screen(node)) {
            writer->is_unspoken = event == CMARK_EVENT_ENTER;
            if (writer->is_unspoken) {
                speak_instead(writer, node);
            }
        }
        const char *place = place_of(node);
        if (place != NULL && event == CMARK_EVENT_EXIT) {
            end_link(writer, place);
        }
        if (event != CMARK_EVENT_ENTER) {
            continue;
        }
        int type = (int)cmark_node_get_type(node);
        if (type == CMARK_NODE_SOFTBREAK) {
            write_line_end(writer, node, '.');
        } else if (type == CMARK_NODE_LINEBREAK) {
            lesson_write(writer, "\n", 1, '.');
        } else if (literal != NULL) {
            lesson_write(writer, literal, strlen(literal), mark_of(node));
        }
    }
    cmark_iter_free(iterator);
}

LessonText lesson_read_prose(Arena *arena, const char *text, size_t length) {
    LessonWriter writer = {.arena = arena};
    cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_VALIDATE_UTF8);
    for (cmark_node *node = cmark_node_first_child(document); node != NULL;
         node = cmark_node_next(node)) {
        if (writer.length > 0) {
            lesson_write(&writer, "\n", 1, '.');
        }
        const char *literal = cmark_node_get_literal(node);
        if (literal != NULL) {
            lesson_write(&writer, literal, strlen(literal), '`');
        } else {
            lesson_write_inlines(&writer, node);
        }
    }
    cmark_node_free(document);
    return lesson_written(&writer);
}

bool lesson_next_line(Arena *arena, const char **body, int *number, LessonLine *line) {
    while (**body != '\0') {
        size_t length = strcspn(*body, "\n");
        const char *text = *body + strspn(*body, " \t");
        const char *end = *body + length;
        *body = end + (*end == '\n');
        line->number = (*number)++;
        while (end > text && (end[-1] == ' ' || end[-1] == '\t')) {
            end--;
        }
        if (end > text) {
            line->text = arena_format(arena, "%.*s", (int)(end - text), text);
            return true;
        }
    }
    return false;
}
