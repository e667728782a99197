// byte_split.h - cuts text into the words that byte-level BPE merges within, as the patterns of
// GPT-2 and its successors do.
#ifndef ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_SPLIT_H
#define ENGINE_TOKENIZERS_BYTE_LEVEL_BYTE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum SplitFamily {
    SPLIT_NONE,   // the text is one word
    SPLIT_GPT2,   // contractions, letters, numbers, the rest; a space goes with the word after it
    SPLIT_CL100K, // any sign may go before letters; line ends go with what stands before them
    SPLIT_MARKS,  // before each ▁
    SPLIT_O200K,  // as CL100K, and a word is cut where lower case turns to upper case
    SPLIT_DIGITS, // numbers apart from all else
    SPLIT_SPACES, // at white space, which is left out
    SPLIT_WORDS,  // the same, and letters, marks, digits and _ apart from all else
    SPLIT_SIGNS,  // each sign of punctuation apart
    SPLIT_CLIP,   // contractions, letters, each number, the rest; white space is left out
} SplitFamily;

// Which pattern. Families share code; the patterns in use differ in the other three.
typedef struct SplitRule {
    SplitFamily family;
    int max_digits;       // a run of numbers is cut after so many; 0: never
    bool no_contractions; // O200K only: 's, 're and the like are not kept with their word
    bool whole_end; // CL100K only: white space that ends the text is one word, line ends and all
} SplitRule;

// Where the word that starts at `start` ends. start < length; the result is above start and at most
// length. Any bytes: what is not UTF-8 counts as a sign, like a comma.
size_t byte_split_next(const SplitRule *rule, const char *text, size_t start, size_t length);

// Whether words of white space are left out, and whether the word that starts here is one.
bool byte_split_drops_spaces(const SplitRule *rule);
bool byte_split_is_space(const char *text, size_t start, size_t length);

// The rule of a pattern as tokenizer.json writes it; false where it is none that we know.
bool byte_split_find(const char *pattern, SplitRule *rule);

// And back; NULL where no pattern says what the rule does.
const char *byte_split_pattern(const SplitRule *rule);

// The name of a rule in our text file, and back; "gpt2", "cl100k", "o200k", "llama3", "qwen2", ...
const char *byte_split_name(const SplitRule *rule);
bool byte_split_named(const char *name, SplitRule *rule);

#endif
