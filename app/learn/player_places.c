// player_places.c - places of lessons: where a link leads, where a text or a stage stands, what
// follows.
#include <stdio.h>
#include <string.h>

#include "app/learn/lesson_files.h"
#include "app/learn/player.h"

static const char *link_of_question(const Question *state) {
    const LessonQuestion *question = state->question;
    if (question->ask.place != NULL || !state->is_answered) {
        return question->ask.place;
    }
    for (int i = 0; i < question->n_choices; i++) {
        if (i + 1 == state->chosen && question->choices[i].why.place != NULL) {
            return question->choices[i].why.place;
        }
    }
    return question->after.place;
}

static const char *link_of(const Player *player, const LessonBlock *block) {
    if (block->kind == LESSON_QUESTION) {
        return link_of_question(&player->question);
    }
    if (block->kind != LESSON_TRY) {
        return block->text.place;
    }
    return player->is_try_done && block->try->ask.place == NULL ? block->try->after.place
                                                                : block->try->ask.place;
}

const char *player_link(const Player *player) {
    const LessonStop *stop = player->has_lesson ? &player->lesson.stops[player->stop] : NULL;
    const char *place = NULL;
    for (int i = stop == NULL ? 0 : stop->first; stop != NULL && place == NULL && i < stop->end;
         i++) {
        place = link_of(player, &player->lesson.blocks[i]);
    }
    return place;
}

int player_find(const Player *player, const char *text) {
    const Lesson *lesson = &player->lesson;
    for (int i = 1; player->has_lesson && i <= lesson->n_stops; i++) {
        int stop = (player->stop + i) % lesson->n_stops;
        for (int block = lesson->stops[stop].first; block < lesson->stops[stop].end; block++) {
            const char *prose = lesson->blocks[block].text.text;
            if (prose != NULL && strstr(prose, text) != NULL) {
                return stop;
            }
        }
    }
    return -1;
}

// "go STAGE", "show STAGE" or "cell STAGE[i,j]".
static bool leads_to(const LessonCommand *command, const char *stage) {
    size_t verb = strcspn(command->text, " ");
    const char *rest = command->text + verb + strspn(command->text + verb, " ");
    size_t length = strcspn(rest, "[");
    bool is_looking = strncmp(command->text, "go ", 3) == 0 ||
                      strncmp(command->text, "show ", 5) == 0 ||
                      strncmp(command->text, "cell ", 5) == 0;
    return is_looking && strlen(stage) == length && strncmp(rest, stage, length) == 0;
}

int player_find_stage(const Player *player, const char *stage) {
    const Lesson *lesson = &player->lesson;
    for (int stop = 0; player->has_lesson && stop < lesson->n_stops; stop++) {
        for (int i = lesson->stops[stop].first; i < lesson->stops[stop].end; i++) {
            const LessonBlock *block = &lesson->blocks[i];
            for (int k = 0; k < block->n_commands; k++) {
                if (leads_to(&block->commands[k], stage)) {
                    return stop;
                }
            }
        }
    }
    return -1;
}

typedef struct Following {
    const char *file;
    char *name; // of the lesson after it; "": not found yet
    bool is_found;
} Following;

static void find_following(void *context, const char *file) {
    Following *following = context;
    if (following->is_found && following->name[0] == '\0') {
        snprintf(following->name, 256, "%.*s", (int)strcspn(file, "."), file);
    }
    following->is_found = following->is_found || strcmp(file, following->file) == 0;
}

bool player_find_next(const Player *player, char name[256]) {
    Following following = {.file = player->file, .name = name};
    name[0] = '\0';
    if (player->has_lesson && !player->is_own_file) {
        lesson_files_list(find_following, &following);
    }
    return name[0] != '\0';
}
