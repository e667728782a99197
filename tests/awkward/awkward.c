// awkward.c - a device for the tests: its memory, its queue, and who may touch what when.
//
// The memory is one block that is mapped PROT_NONE: whoever follows a pointer into it dies. It
// opens only while the queue runs on a CPU device, which happens when somebody reads, or the queue
// is long. What is allocated is poisoned with NaN first; what is freed is poisoned again.
#include "tests/awkward/awkward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/cpu.h"
#include "kernels/device_plugin.h"

static const size_t BLOCK_BYTES = (size_t)1 << 30;
static const size_t LONG_QUEUE_BYTES = (size_t)1 << 24;
enum { LINE_BYTES = 64, MAX_PIECES = 1 << 14 };

typedef struct Piece {
    size_t offset, size; // bytes of the block
} Piece;

typedef struct Awkward {
    Device device; // first
    Backend table;
    Device *cpu;
    char *block;
    Piece *pieces; // n_pieces that are allocated, by offset
    int n_pieces;
    char *queue; // calls one after the other, each with its arguments behind it
    size_t queue_bytes, queue_capacity;
    char failure[128]; // the first; empty: none
} Awkward;

typedef struct Call {
    AwkwardRun *run;
    size_t size_bytes; // of the arguments
} Call;

static size_t whole(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

static Awkward *awkward_of(Device *device) {
    return (Awkward *)(void *)device;
}

static void fail(Awkward *awkward, const char *what) {
    if (awkward->failure[0] == '\0') {
        snprintf(awkward->failure, sizeof awkward->failure, "%s", what);
    }
}

// ---- the queue

static void run_queue(Awkward *awkward) {
    if (awkward->queue_bytes == 0) {
        return;
    }
    mprotect(awkward->block, BLOCK_BYTES, PROT_READ | PROT_WRITE);
    for (size_t at = 0; at < awkward->queue_bytes && awkward->failure[0] == '\0';) {
        Call call;
        memcpy(&call, awkward->queue + at, sizeof call);
        call.run(awkward->cpu, awkward->queue + at + LINE_BYTES);
        at += LINE_BYTES + whole(call.size_bytes, LINE_BYTES);
    }
    awkward->queue_bytes = 0;
    mprotect(awkward->block, BLOCK_BYTES, PROT_NONE);
}

// Room for that many bytes of arguments; the queue may move when it grows.
static void *keep(Awkward *awkward, AwkwardRun *run, size_t size_bytes) {
    if (awkward->queue_bytes >= LONG_QUEUE_BYTES) {
        run_queue(awkward);
    }
    size_t needed = awkward->queue_bytes + LINE_BYTES + whole(size_bytes, LINE_BYTES);
    if (needed > awkward->queue_capacity) {
        size_t capacity = whole(2 * needed, LINE_BYTES);
        char *queue = aligned_alloc(LINE_BYTES, capacity);
        if (queue == NULL) {
            fail(awkward, "the queue has no memory");
            return NULL;
        }
        if (awkward->queue_bytes > 0) {
            memcpy(queue, awkward->queue, awkward->queue_bytes);
        }
        free(awkward->queue);
        awkward->queue = queue;
        awkward->queue_capacity = capacity;
    }
    char *at = awkward->queue + awkward->queue_bytes;
    memcpy(at, &(Call){run, size_bytes}, sizeof(Call));
    awkward->queue_bytes = needed;
    return at + LINE_BYTES;
}

void awkward_keep(Device *device, AwkwardRun *run, const void *arguments, size_t size_bytes) {
    void *kept = keep(awkward_of(device), run, size_bytes);
    if (kept != NULL) {
        memcpy(kept, arguments, size_bytes);
    }
}

// ---- memory

typedef struct Poison {
    char *memory;
    size_t size_bytes;
} Poison;

static void run_poison(Device *cpu, const void *kept) {
    (void)cpu;
    const Poison *with = kept;
    memset(with->memory, 0xff, with->size_bytes); // NaN; as an id -1
}

static void poison_piece(Device *device, const Piece *piece) {
    const Poison with = {awkward_of(device)->block + piece->offset, piece->size};
    awkward_keep(device, run_poison, &with, sizeof with);
}

static void *awkward_allocate(Device *device, size_t size_bytes) {
    Awkward *awkward = awkward_of(device);
    Piece piece = {0, whole(size_bytes + 1, LINE_BYTES)};
    int at = 0;
    while (at < awkward->n_pieces && awkward->pieces[at].offset - piece.offset < piece.size) {
        piece.offset = awkward->pieces[at].offset + awkward->pieces[at].size;
        at++;
    }
    if (piece.offset + piece.size > BLOCK_BYTES || awkward->n_pieces == MAX_PIECES) {
        return NULL;
    }
    memmove(awkward->pieces + at + 1, awkward->pieces + at,
            (size_t)(awkward->n_pieces - at) * sizeof piece);
    awkward->pieces[at] = piece;
    awkward->n_pieces++;
    poison_piece(device, &piece);
    return awkward->block + piece.offset;
}

// The calls before run before the memory is another's: they are in the queue before its poison.
static void awkward_free(Device *device, void *memory) {
    Awkward *awkward = awkward_of(device);
    for (int i = 0; memory != NULL && i < awkward->n_pieces; i++) {
        if (awkward->block + awkward->pieces[i].offset == (char *)memory) {
            poison_piece(device, &awkward->pieces[i]);
            awkward->n_pieces--;
            memmove(awkward->pieces + i, awkward->pieces + i + 1,
                    (size_t)(awkward->n_pieces - i) * sizeof(Piece));
            return;
        }
    }
    if (memory != NULL) {
        fail(awkward, "memory was freed that is not its own");
    }
}

typedef struct Written {
    void *to;
    size_t size_bytes; // that follow
} Written;

static void run_write(Device *cpu, const void *kept) {
    (void)cpu;
    const Written *written = kept;
    memcpy(written->to, (const char *)kept + sizeof *written, written->size_bytes);
}

static bool is_ours(const Awkward *awkward, const void *pointer) {
    return (const char *)pointer >= awkward->block &&
           (const char *)pointer <= awkward->block + BLOCK_BYTES;
}

static void check(Device *device, const void *pointer, const char *what) {
    if (!is_ours(awkward_of(device), pointer)) {
        fail(awkward_of(device), what);
    }
}

static void awkward_write(Device *device, void *to, const void *from, size_t size_bytes) {
    check(device, to, "it was told to write to memory that is not its own");
    char *kept = keep(awkward_of(device), run_write, sizeof(Written) + size_bytes);
    if (kept != NULL && size_bytes > 0) {
        memcpy(kept, &(Written){to, size_bytes}, sizeof(Written));
        memcpy(kept + sizeof(Written), from, size_bytes);
    }
}

static const char *awkward_read(Device *device, void *to, const void *from, size_t size_bytes) {
    Awkward *awkward = awkward_of(device);
    check(device, from, "it was told to read memory that is not its own");
    run_queue(awkward);
    if (awkward->failure[0] != '\0') {
        return awkward->failure;
    }
    mprotect(awkward->block, BLOCK_BYTES, PROT_READ);
    if (size_bytes > 0) {
        memcpy(to, from, size_bytes);
    }
    mprotect(awkward->block, BLOCK_BYTES, PROT_NONE);
    return NULL;
}

// ---- what a call may be given

static void check_or_none(Device *device, const void *pointer) {
    if (pointer != NULL) {
        check(device, pointer, "a kernel was given memory that is not its own");
    }
}

void awkward_check_array(Device *device, const Array *array) {
    check_or_none(device, array->data);
}

void awkward_check_terms(Device *device, const Terms *terms) {
    for (int i = 0; i < terms->count; i++) {
        check_or_none(device, terms->items[i].data);
    }
}

void awkward_check_mask(Device *device, const Mask *mask) {
    check_or_none(device, mask->key_ids.data);
}

void awkward_check_attention(Device *device, const AttentionShape *shape) {
    check_or_none(device, shape->mask.key_ids.data);
}

void awkward_check_matrix(Device *device, const QuantizedMatrix *matrix) {
    check_or_none(device, matrix->values);
    check_or_none(device, matrix->scales);
}

void awkward_check_step(Device *device, const StepBlock *const *now) {
    check_or_none(device, *now);
}

void awkward_check_sum(Device *device, double *const *sum) {
    check_or_none(device, *sum);
}

void awkward_check_square(Device *device, const double *const *square) {
    check_or_none(device, *square);
}

void awkward_check_to(Device *device, void *const *to) {
    check_or_none(device, *to);
}

void awkward_check_from(Device *device, const void *const *from) {
    check_or_none(device, *from);
}

void awkward_check_none(Device *device, const void *argument) {
    (void)device;
    (void)argument;
}

// ---- the device

static void awkward_close(Device *device) {
    Awkward *awkward = awkward_of(device);
    run_queue(awkward);
    cpu_close(awkward->cpu);
    munmap(awkward->block, BLOCK_BYTES);
    free(awkward->pieces);
    free(awkward->queue);
    free(awkward);
}

static void awkward_describe(Device *device, char *text, size_t size) {
    (void)device;
    snprintf(text, size, "a device for tests, which does everything late");
}

// A call that nobody filled in would be a jump to nowhere in the middle of a test.
static bool is_whole(const Backend *table) {
    void (*call)(void);
    const char *begin = (const char *)table;
    for (size_t at = offsetof(Backend, allocate); at < sizeof *table; at += sizeof call) {
        memcpy(&call, begin + at, sizeof call);
        if (call == NULL) {
            return false;
        }
    }
    return true;
}

static Device *awkward_open(int n_threads, char *sentence, size_t size) {
    Awkward *awkward = calloc(1, sizeof *awkward);
    void *block =
        mmap(NULL, BLOCK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    Device *cpu = cpu_open(n_threads);
    Piece *pieces = calloc(MAX_PIECES + 1, sizeof *pieces);
    if (awkward == NULL || block == MAP_FAILED || cpu == NULL || pieces == NULL) {
        snprintf(sentence, size, "there is no memory for the awkward device");
        cpu_close(cpu);
        free(pieces);
        free(awkward);
        return NULL;
    }
    awkward->cpu = cpu;
    awkward->block = block;
    awkward->pieces = pieces;
    awkward->table = (Backend){.name = "awkward",
                               .is_host = false,
                               .allocate = awkward_allocate,
                               .free = awkward_free,
                               .write = awkward_write,
                               .read = awkward_read,
                               .close = awkward_close,
                               .describe = awkward_describe};
    awkward_fill_table(&awkward->table);
    if (!is_whole(&awkward->table)) {
        snprintf(sentence, size, "tests/awkward/awkward_calls.c lacks a call of kernels/backend.h");
        awkward_close(&awkward->device);
        return NULL;
    }
    awkward->device.backend = &awkward->table;
    return &awkward->device;
}

__attribute__((visibility("default"))) extern const DevicePlugin attend_device;
const DevicePlugin attend_device = {awkward_open};
