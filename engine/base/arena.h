// arena.h - small things that die together: nodes, names, expressions.
#ifndef ENGINE_BASE_ARENA_H
#define ENGINE_BASE_ARENA_H

#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

// A zeroed Arena is empty and ready. What it hands out is zeroed, aligned for any type, never moves
// and lives until arena_free or arena_clear. Running out of memory ends the program: these are
// small things.
typedef struct Arena {
    ArenaBlock *newest;
} Arena;

void *arena_allocate(Arena *arena, size_t size_bytes);

// Copies of text, owned by the arena.
char *arena_text(Arena *arena, const char *text);
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Gives everything back but one block, which the next allocations use again.
void arena_clear(Arena *arena);
void arena_free(Arena *arena);

#endif
