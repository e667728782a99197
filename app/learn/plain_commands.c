// plain_commands.c - a typed line: a command, a key's name, or an answer.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/learn/course.h"
#include "app/learn/plain.h"
#include "app/learn/texts.h"

static void say(Plain *plain, TextId id, const char *a) {
    reply_say(&plain->learn.reply, id, a, NULL);
    plain_tell_notice(plain);
}

// Commands that change the screen alone.
static bool is_of_screen(CommandId id) {
    static const CommandId IDS[] = {
        COMMAND_PANE_NEXT, COMMAND_PANE_BACK, COMMAND_PAGE_UP, COMMAND_PAGE_DOWN,
        COMMAND_ZOOM,      COMMAND_SPOTLIGHT, COMMAND_BIG,     COMMAND_REDRAW,
        COMMAND_PROMPT,    COMMAND_SLOWER,    COMMAND_FASTER,
    };
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        if (IDS[i] == id) {
            return true;
        }
    }
    return false;
}

static void tell_help(Plain *plain, const char *sought) {
    int n = 0;
    for (int id = 0; id < COMMAND_COUNT; id++) {
        const char *help = text_help(plain->learn.reply.language, (CommandId)id);
        bool is_sought = course_holds(COMMANDS[id].name, sought) || course_holds(help, sought);
        if (is_sought && !is_of_screen((CommandId)id)) {
            file_writer_print(&plain->page.lines, "  %-13s %s\n", COMMANDS[id].name, help);
            n++;
        }
    }
    if (n == 0) {
        say(plain, TEXT_HELP_NONE, sought);
    }
    file_writer_text(&plain->page.lines, "\n");
}

void plain_tell_course(Plain *plain, const char *sought) {
    Course course = {.n = 0};
    FileWriter *lines = &plain->page.lines;
    Language language = plain->learn.reply.language;
    course_load(&course, language, sought);
    for (int i = 0; i < course.n; i++) {
        if (course.lessons[i].is_found) {
            char line[ABOUT_BYTES];
            file_writer_print(lines, "%s\n", course_line(&course, i, 0, plain->page.ascii, line));
        }
    }
    if (course.n_found == 0) {
        say(plain, TEXT_MENU_NONE, sought);
    }
    if (course.missing[0] != '\0') {
        char text[REPLY_BYTES];
        plain_page_text(&plain->page, "",
                        text_fill(text, sizeof text, text_of(language, TEXT_MENU_MISSING),
                                  course.missing, NULL));
    }
    course_free(&course);
}

// What can be changed, as the commands that do it.
static void tell_changes(Plain *plain) {
    const Learn *learn = &plain->learn;
    FileWriter *lines = &plain->page.lines;
    if (learn->bench.playground.opened == NULL) {
        say(plain, TEXT_NOTHING_OPEN, NULL);
        return;
    }
    const ModelConfig *config = &learn->bench.playground.opened->named.model.config;
    const struct {
        CommandId id;
        TextId name;
        bool is_off;
    } switches[] = {{COMMAND_MASK, TEXT_MASK, config->switches.without_mask},
                    {COMMAND_SCALE, TEXT_SCALE, config->switches.without_scale},
                    {COMMAND_RESIDUAL, TEXT_RESIDUAL, config->switches.without_residual},
                    {COMMAND_POSITIONS, TEXT_POSITIONS, config->switches.without_positions}};
    const struct {
        CommandId id;
        TextId name;
        int number;
    } sizes[] = {{COMMAND_HEADS, TEXT_HEADS, config->n_heads},
                 {COMMAND_LAYERS, TEXT_LAYERS, config->n_layers},
                 {COMMAND_WIDTH, TEXT_WIDTH, config->d_model}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        file_writer_print(lines, "  %s %s: %s\n", COMMANDS[switches[i].id].name,
                          switches[i].is_off ? "off" : "on",
                          reply_text(&learn->reply, switches[i].name));
    }
    file_writer_print(lines, "  norm %s: %s\n", config->norm_first ? "pre" : "post",
                      reply_text(&learn->reply, TEXT_NORM));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        file_writer_print(lines, "  %s %d: %s\n", COMMANDS[sizes[i].id].name, sizes[i].number,
                          reply_text(&learn->reply, sizes[i].name));
    }
    file_writer_print(lines, "  smoothing %.9g: %s\n", (double)config->label_smoothing,
                      reply_text(&learn->reply, TEXT_SMOOTHING));
    static const CommandId OTHERS[] = {COMMAND_INPUT, COMMAND_SEED, COMMAND_EDIT};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        file_writer_print(lines, "  %s: %s\n", COMMANDS[OTHERS[i]].name,
                          text_help(learn->reply.language, OTHERS[i]));
    }
    file_writer_text(lines, "\n");
}

// The line for a shell, whole: what stands between quotes ends at none of its own.
static void tell_state(Plain *plain) {
    char *state = learn_state(&plain->learn);
    char *quoted = state == NULL ? NULL : learn_quoted(state);
    char *line = quoted == NULL
                     ? NULL
                     : text_filled(reply_text(&plain->learn.reply, TEXT_STATE_IS), quoted, NULL);
    plain_page_whole(&plain->page, line == NULL ? "" : line);
    free(line);
    free(quoted);
    free(state);
}

static void tell_copy(Plain *plain) {
    Learn *learn = &plain->learn;
    if (learn->bench.cursor.place.node == NULL) {
        say(plain, TEXT_NOTHING_OPEN, NULL);
        return;
    }
    char cell[256];
    char line[320];
    size_t element = cursor_element(&learn->bench.cursor);
    say(plain, TEXT_PLAIN_COPY, NULL);
    (void)stepper_require(&learn->bench.playground.stepper, learn->bench.cursor.place.node, NULL);
    explain_cell_name(learn->bench.cursor.place.node, element, cell, sizeof cell);
    snprintf(line, sizeof line, "%s = %.9g", cell,
             cursor_value(&learn->bench.cursor, learn->bench.cursor.place.node, element));
    plain_page_whole(&plain->page, line);
}

// Commands that are told and not carried out; false: another one.
static bool tell_instead(Plain *plain, const Command *command) {
    const CommandId id = command->id;
    switch ((int)id) {
    case COMMAND_HELP:
        tell_help(plain, command->rest);
        return true;
    case COMMAND_LESSONS:
        plain_tell_course(plain, command->rest);
        return true;
    case COMMAND_CHANGE:
        tell_changes(plain);
        return true;
    case COMMAND_STATE:
        tell_state(plain);
        return true;
    case COMMAND_COPY:
        tell_copy(plain);
        return true;
    default:
        break;
    }
    if (is_of_screen(id)) {
        say(plain, TEXT_PLAIN_SCREEN, COMMANDS[id].name);
    }
    return is_of_screen(id);
}

// What is true of a command that did nothing and said nothing.
static void tell_nothing_done(Plain *plain, CommandId id) {
    switch ((int)id) {
    case COMMAND_ANSWER:
    case COMMAND_ASIDE:
        say(plain, TEXT_PLAIN_NO_QUESTION, NULL);
        return;
    case COMMAND_RESUME:
        say(plain, TEXT_PLAIN_NO_RESUME, NULL);
        return;
    case COMMAND_LESSON_BACK:
        say(plain, TEXT_AT_START, NULL);
        return;
    default:
        break;
    }
    say(plain, plain->learn.bench.cursor.place.node == NULL ? TEXT_NOTHING_OPEN : TEXT_PLAIN_SAME,
        NULL);
    plain_tell_cell(plain);
}

static bool chooses_view(CommandId id) {
    return id == COMMAND_VIEW || id == COMMAND_VIEW_BACK || plain_draws_tokens(id);
}

static void tell_after(Plain *plain, CommandId id, int stop, bool was_answered) {
    Learn *learn = &plain->learn;
    if (learn->player.question.is_answered && !was_answered) {
        const LessonText *why = player_why(&learn->player);
        if (why != NULL) {
            plain_page_text(&plain->page, "  ", why->spoken);
        }
        plain_page_text(&plain->page, "  ", learn->player.question.question->after.spoken);
        file_writer_text(&plain->page.lines, "\n");
    } else if (learn->player.stop != stop) {
        plain_tell_stop(plain);
    } else if (!learn->is_over && chooses_view(id)) {
        plain_tell_view(plain);
    } else if (!learn->is_over) {
        plain_tell_place(plain);
    }
}

// After a link was followed, or left again.
static void tell_other_place(Plain *plain) {
    plain->told = NULL;
    if (plain->learn.player.has_lesson) {
        plain_tell_stop(plain);
    } else {
        plain_tell_place(plain);
    }
}

// What a change did to the loss and to the number that was told, which are computed for it.
static void tell_effect(Plain *plain) {
    Learn *learn = &plain->learn;
    const Node *loss =
        learn->bench.before.n == 0 ? NULL : playground_tape(&learn->bench.playground)->loss;
    if (loss != NULL) {
        (void)stepper_require(&learn->bench.playground.stepper, loss, NULL);
    }
    char effect[SCREEN_EFFECT_BYTES];
    if (screen_effect(&learn->screen, INT_MAX, effect) > 0) {
        plain_page_text(&plain->page, "  ", effect);
        file_writer_text(&plain->page.lines, "\n");
    }
}

static void carry_out(Plain *plain, const Command *command) {
    Learn *learn = &plain->learn;
    int n_changes = learn->bench.playground.n_changes;
    Error err = {""};
    int stop = learn->player.stop;
    bool was_answered = learn->player.question.is_answered;
    size_t written = plain->page.lines.written_bytes;
    learn->screen.prompt.text[0] = '\0';
    if (!learn_execute(learn, command, &err)) {
        reply_complain(&learn->reply, err.text);
    }
    bool is_leaving = learn->asked_place != NULL;
    bool has_left = learn_visit(learn);
    bool failed =
        learn->reply.is_bad && learn->reply.text[0] != '\0' && (error_is_set(&err) || is_leaving);
    plain_tell_notice(plain);
    if (has_left) {
        tell_other_place(plain);
        return;
    }
    if (learn->screen.prompt.text[0] != '\0') { // the screen would ask for the rest
        say(plain, TEXT_PLAIN_MORE, learn->screen.prompt.text);
        learn->screen.prompt.text[0] = '\0';
        return;
    }
    if (failed) {
        return;
    }
    plain_finish_work(plain);
    tell_after(plain, command->id, stop, was_answered);
    if (learn->bench.playground.n_changes > n_changes) {
        tell_effect(plain);
    }
    if (plain->page.lines.written_bytes == written && !learn->is_over) {
        tell_nothing_done(plain, command->id);
    }
}

// The command of a key that stands alone on the line, as a reader of another text may type it.
static CommandId command_of_label(const char *line) {
    for (int id = 0; id < COMMAND_COUNT; id++) {
        for (const char *keys = COMMANDS[id].keys; *keys != '\0';) {
            size_t length = strcspn(keys, " ");
            if (strlen(line) == length && strncmp(line, keys, length) == 0) {
                return (CommandId)id;
            }
            keys += length + strspn(keys + length, " ");
        }
    }
    return COMMAND_COUNT;
}

// A number where a question is open.
static bool is_answer(const Plain *plain, const char *line) {
    const Question *question = &plain->learn.player.question;
    if (!question->is_open || question->is_answered) {
        return false;
    }
    char *end = NULL;
    (void)strtod(line, &end);
    return end != line && *end == '\0';
}

static char *trimmed(char *line) {
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t')) {
        line[--length] = '\0';
    }
    bool has_colon = line[0] == ':' && line[1] != '\0'; // as the screen's prompt shows it
    return line + has_colon;
}

bool plain_take_line(Plain *plain, char *line) {
    line = trimmed(line);
    Command command = {COMMAND_CONTINUE, ""};
    Error err = {""};
    if (line[0] == '\0') {
        return true;
    }
    if (is_answer(plain, line)) {
        command = (Command){COMMAND_ANSWER, line};
    } else if (command_of_label(line) < COMMAND_COUNT) {
        command.id = command_of_label(line);
    } else if (!command_parse(&command, line, &err)) {
        reply_complain(&plain->learn.reply, err.text);
        plain_tell_notice(plain);
        return false;
    }
    if (command.id == COMMAND_CONTINUE) {
        return true;
    }
    if (!tell_instead(plain, &command)) {
        carry_out(plain, &command);
    }
    return false;
}
