// grammar_words.c - the words of the English-German grammar.
#include "engine/training/grammar_words.h"

#include <stddef.h>

const Noun GRAMMAR_SUBJECTS[N_SUBJECTS] = {
    {"man", "Mann", MASCULINE},       {"woman", "Frau", FEMININE},    {"child", "Kind", NEUTER},
    {"teacher", "Lehrer", MASCULINE}, {"girl", "Mädchen", NEUTER},    {"boy", "Junge", MASCULINE},
    {"mother", "Mutter", FEMININE},   {"father", "Vater", MASCULINE},
};

const Noun GRAMMAR_OBJECTS[N_OBJECTS] = {
    [FRIEND] = {"friend", "Freund", MASCULINE},
    [SISTER] = {"sister", "Schwester", FEMININE},
    [BROTHER] = {"brother", "Bruder", MASCULINE},
    [DOG] = {"dog", "Hund", MASCULINE},
    [CAT] = {"cat", "Katze", FEMININE},
    [HORSE] = {"horse", "Pferd", NEUTER},
    [BOOK] = {"book", "Buch", NEUTER},
    [LETTER] = {"letter", "Brief", MASCULINE},
    [NEWSPAPER] = {"newspaper", "Zeitung", FEMININE},
    [DOOR] = {"door", "Tür", FEMININE},
    [WINDOW] = {"window", "Fenster", NEUTER},
    [BREAD] = {"bread", "Brot", NEUTER},
    [APPLE] = {"apple", "Apfel", MASCULINE},
};

const Verb GRAMMAR_VERBS[N_VERBS] = {
    {"sees", "saw", "see", "sieht", "", "hat", "gesehen", "sehen", {FRIEND, CAT, DOG, HORSE}},
    {"finds", "found", "find", "findet", "", "hat", "gefunden", "finden", {DOG, CAT, BOOK, LETTER}},
    {"reads", "read", "read", "liest", "", "hat", "gelesen", "lesen", {BOOK, LETTER, NEWSPAPER}},
    {"buys",
     "bought",
     "buy",
     "kauft",
     "",
     "hat",
     "gekauft",
     "kaufen",
     {BOOK, BREAD, HORSE, NEWSPAPER}},
    {"eats", "ate", "eat", "isst", "", "hat", "gegessen", "essen", {BREAD, APPLE}},
    {"calls",
     "called",
     "call",
     "anruft",
     "an",
     "hat",
     "angerufen",
     "anrufen",
     {FRIEND, SISTER, BROTHER}},
    {"invites",
     "invited",
     "invite",
     "einlädt",
     "ein",
     "hat",
     "eingeladen",
     "einladen",
     {FRIEND, SISTER, BROTHER}},
    {"opens",
     "opened",
     "open",
     "aufmacht",
     "auf",
     "hat",
     "aufgemacht",
     "aufmachen",
     {DOOR, WINDOW, LETTER}},
    {"closes",
     "closed",
     "close",
     "zumacht",
     "zu",
     "hat",
     "zugemacht",
     "zumachen",
     {DOOR, WINDOW, BOOK}},
    {"brings",
     "brought",
     "bring",
     "mitbringt",
     "mit",
     "hat",
     "mitgebracht",
     "mitbringen",
     {BREAD, APPLE, DOG, SISTER}},
    {"sleeps", "slept", "sleep", "schläft", "", "hat", "geschlafen", "schlafen", {NO_OBJECT}},
    {"works", "worked", "work", "arbeitet", "", "hat", "gearbeitet", "arbeiten", {NO_OBJECT}},
    {"sings", "sang", "sing", "singt", "", "hat", "gesungen", "singen", {NO_OBJECT}},
    {"plays", "played", "play", "spielt", "", "hat", "gespielt", "spielen", {NO_OBJECT}},
    {"waits", "waited", "wait", "wartet", "", "hat", "gewartet", "warten", {NO_OBJECT}},
    {"arrives", "arrived", "arrive", "ankommt", "an", "ist", "angekommen", "ankommen", {NO_OBJECT}},
};

const Tense GRAMMAR_TENSES[N_TENSES] = {
    {PRESENT, {NULL, NULL}, {{"today", "heute"}, {"now", "jetzt"}}},
    {PAST, {NULL, NULL}, {{"today", "heute"}, {"yesterday", "gestern"}}},
    {MODAL, {"must", "muss"}, {{"now", "jetzt"}, {"tomorrow", "morgen"}}},
    {MODAL, {"can", "kann"}, {{"today", "heute"}, {"tomorrow", "morgen"}}},
    {MODAL, {"will", "wird"}, {{"today", "heute"}, {"tomorrow", "morgen"}}},
};

const WordPair GRAMMAR_MANNERS[N_MANNERS] = {
    {"quietly", "leise"}, {"happily", "fröhlich"}, {"alone", "allein"}};

const Place GRAMMAR_PLACES[N_PLACES] = {
    {{"in", "the", "garden"}, {"im", "Garten"}},
    {{"in", "the", "house"}, {"im", "Haus"}},
    {{"in", "the", "school"}, {"in", "der", "Schule"}},
    {{"in", "the", "city"}, {"in", "der", "Stadt"}},
};

const WordPair GRAMMAR_SPEAKERS[N_SPEAKERS] = {
    {"he", "er"}, {"she", "sie"}, {"Anna", "Anna"}, {"Paul", "Paul"}};

const WordPair GRAMMAR_INTRODUCTIONS[N_INTRODUCTIONS][INTRODUCTION_WORDS] = {
    {{"knows", "weiß,"}, {"that", "dass"}},      {{"says", "sagt,"}, {"that", "dass"}},
    {{"believes", "glaubt,"}, {"that", "dass"}}, {{"hopes", "hofft,"}, {"that", "dass"}},
    {{"laughs", "lacht,"}, {"because", "weil"}},
};
