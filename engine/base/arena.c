// arena.c - small things that die together: nodes, names, expressions.
#include "engine/base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks double from the first to the largest: what holds little stays small.
enum { FIRST_BLOCK_BYTES = 2 * 1024, BLOCK_BYTES = 32 * 1024, ALIGNMENT = 16 };

struct ArenaBlock {
    ArenaBlock *older;
    size_t used_bytes;
    size_t size_bytes;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

static ArenaBlock *block_open(Arena *arena, size_t size_bytes) {
    size_t usual = arena->newest == NULL ? FIRST_BLOCK_BYTES : 2 * arena->newest->size_bytes;
    usual = usual < BLOCK_BYTES ? usual : BLOCK_BYTES;
    size_t size = size_bytes > usual ? size_bytes : usual;
    ArenaBlock *block = malloc(sizeof *block + size);
    if (block == NULL) {
        static const char message[] = "attend: out of memory\n";
        fwrite(message, 1, sizeof message - 1, stderr);
        _Exit(1);
    }
    block->older = arena->newest;
    block->used_bytes = 0;
    block->size_bytes = size;
    arena->newest = block;
    return block;
}

void *arena_allocate(Arena *arena, size_t size_bytes) {
    assert(size_bytes < SIZE_MAX / 2);
    size_t size = (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ArenaBlock *block = arena->newest;
    if (block == NULL || block->size_bytes - block->used_bytes < size) {
        block = block_open(arena, size);
    }
    void *memory = block->bytes + block->used_bytes;
    block->used_bytes += size;
    return memset(memory, 0, size_bytes);
}

char *arena_text(Arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(arena_allocate(arena, size), text, size);
}

char *arena_format(Arena *arena, const char *format, ...) {
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    char *text = arena_allocate(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_clear(Arena *arena) {
    ArenaBlock *block = arena->newest;
    if (block == NULL) {
        return;
    }
    while (block->older != NULL) {
        ArenaBlock *older = block->older;
        free(block);
        block = older;
    }
    block->used_bytes = 0;
    arena->newest = block;
}

void arena_free(Arena *arena) {
    while (arena->newest != NULL) {
        ArenaBlock *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
}
