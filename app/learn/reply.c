// reply.c - what a command says back: a sentence for the last line, a line to be completed, a view
// to turn to.
#include "app/learn/reply.h"

#include <string.h>

#include <stdio.h>

#include <stdlib.h>

#include "views/text.h"

const char *reply_text(const Reply *reply, TextId id) {
    return reply->is_spoken ? text_spoken(reply->language, id) : text_of(reply->language, id);
}

void reply_say(Reply *reply, TextId id, const char *a, const char *b) {
    char *text = text_filled(reply_text(reply, id), a, b);
    text_copy(reply->text, sizeof reply->text, text == NULL ? "" : text);
    reply->is_bad = false;
    free(text);
}

void reply_complain(Reply *reply, const char *sentence) {
    text_copy(reply->text, sizeof reply->text, sentence);
    reply->is_bad = sentence[0] != '\0';
}

bool reply_fail(const Reply *reply, Error *err, TextId id, const char *a, const char *b) {
    char *sentence = text_filled(reply_text(reply, id), a, b);
    error_set(err, "%s", sentence == NULL ? "out of memory" : sentence);
    free(sentence);
    return false;
}

void reply_ask(Reply *reply, const char *start) {
    text_copy(reply->line, sizeof reply->line, start);
    reply->proposed = 0;
}

void reply_propose(Reply *reply, const char *start, const char *proposal) {
    char line[REPLY_BYTES];
    snprintf(line, sizeof line, "%s%s", start, proposal);
    reply_ask(reply, line);
    reply->proposed = strlen(start);
}

void reply_show(Reply *reply, ViewSubject subject) {
    reply->view = view_find_subject(subject);
}
