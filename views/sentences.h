// sentences.h - one sentence about a stage, by its role, in each language.
#ifndef VIEWS_SENTENCES_H
#define VIEWS_SENTENCES_H

#include "engine/tape/explain.h"
#include "engine/tape/tape.h"

typedef enum Language { LANGUAGE_EN, LANGUAGE_ZH, LANGUAGE_COUNT } Language;

// What this node is for; never NULL.
const char *sentence_for_node(const Node *node, Language language);

// Why a cell has its value beyond its arithmetic; "" where there is nothing to add.
const char *sentence_for_note(ExplainNote note, Language language);

#endif
