// dataset_shard.c - one file of tokens: written with its checksum, opened and held against it.
#include "engine/training/dataset_shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

char *shard_path(const char *folder, DatasetSplit split, int i) {
    char name[64];
    snprintf(name, sizeof name, "%s-%05d.tokens", split == SPLIT_TRAIN ? "train" : "held", i);
    return file_join(folder, name);
}

static uint32_t crc_of(const void *bytes, size_t n) {
    return (uint32_t)crc32_z(crc32(0L, Z_NULL, 0), bytes, n);
}

uint32_t shard_chain(uint32_t before, uint32_t crc) {
    return (uint32_t)crc32(before, (const Bytef *)&crc, sizeof crc);
}

// ---- writing

// In place: the first half of the memory holds them.
static void narrow_ids(int32_t *ids, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint16_t narrow = (uint16_t)ids[i];
        memcpy((char *)ids + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

bool shard_save(const char *path, const ShardContent *content, uint32_t *crc, Error *err) {
    static const Bytef PADDING[8] = "";
    FileWriter writer;
    if (!file_writer_open(&writer, path, err)) {
        return false;
    }
    ShardHeader header = {.magic = {'a', 't', 't', 'e', 'n', 'd', 'T', 'K'},
                          .version = 2,
                          .id_bytes = content->is_narrow ? 2 : 4,
                          .n_tokens = content->n_ids,
                          .n_items = content->n_items};
    memcpy(header.tokenizer_hash, content->tokenizer_hash, sizeof header.tokenizer_hash);
    if (content->is_narrow) {
        narrow_ids(content->ids, content->n_ids);
    }
    size_t ids_bytes = content->n_ids * header.id_bytes;
    size_t padding_bytes = (8 - ids_bytes % 8) % 8;
    size_t items_bytes = content->n_items * sizeof *content->items;
    uLong sum = crc_of(content->ids, ids_bytes);
    sum = crc32_z(sum, PADDING, padding_bytes);
    sum = items_bytes == 0 ? sum : crc32_z(sum, (const Bytef *)content->items, items_bytes);
    header.crc = (uint32_t)sum;
    header.header_crc = crc_of(&header, sizeof header);
    *crc = header.crc;
    file_writer_write(&writer, &header, sizeof header);
    file_writer_write(&writer, content->ids, ids_bytes);
    file_writer_write(&writer, PADDING, padding_bytes);
    file_writer_write(&writer, content->items, items_bytes);
    return file_writer_commit(&writer, err);
}

// ---- reading

static bool check_header(const Shard *shard, const char *path, const char *hash, Error *err) {
    ShardHeader header;
    char shown[FILE_NAME_TEXT_BYTES];
    file_shown(path, shown);
    if (shard->file.size_bytes < sizeof header) {
        return error_set(err, "%s: %zu bytes, expected a shard's header of %zu", shown,
                         shard->file.size_bytes, sizeof header);
    }
    memcpy(&header, shard->file.bytes, sizeof header);
    bool is_known = memcmp(header.magic, "attendTK", 8) == 0 && header.version == 2 &&
                    (header.id_bytes == 2 || header.id_bytes == 4);
    if (!is_known) {
        return error_set(err, "%s: expected a shard of tokens, version 2", shown);
    }
    uint32_t wanted = header.header_crc;
    header.header_crc = 0;
    if (crc_of(&header, sizeof header) != wanted) {
        return error_set(err, "%s: damaged: its header has another checksum", shown);
    }
    if (memcmp(header.tokenizer_hash, hash, 16) != 0) {
        return error_set(err, "%s: made with the tokenizer %.16s, expected %s", shown,
                         header.tokenizer_hash, hash);
    }
    uint64_t most = UINT64_MAX / 64;
    uint64_t ids_bytes = (header.n_tokens % most * header.id_bytes + 7) / 8 * 8;
    uint64_t size = sizeof header + ids_bytes + header.n_items % most * sizeof(ShardItem);
    if (header.n_tokens >= most || header.n_items >= most || size != shard->file.size_bytes) {
        return error_set(err, "%s: %zu bytes, expected %" PRIu64 " by its header", shown,
                         shard->file.size_bytes, size);
    }
    return true;
}

static bool check_items(const Shard *shard, const char *path, Error *err) {
    for (uint64_t i = 0; i < shard->n_items; i++) {
        const ShardItem *item = &shard->items[i];
        uint64_t end = (uint64_t)item->first + item->n_source + item->n_target;
        if (end > shard->n_tokens) {
            return error_set(err, "%s: pair %" PRIu64 " ends at token %" PRIu64 " of %" PRIu64,
                             path, i, end, shard->n_tokens);
        }
    }
    return true;
}

bool shard_open(Shard *shard, const char *path, const char *hash, Error *err) {
    if (!file_map(&shard->file, path, err) || !check_header(shard, path, hash, err)) {
        return false;
    }
    ShardHeader header;
    memcpy(&header, shard->file.bytes, sizeof header);
    const unsigned char *ids = shard->file.bytes + sizeof header;
    uint64_t ids_bytes = (header.n_tokens * header.id_bytes + 7) / 8 * 8;
    shard->n_tokens = header.n_tokens;
    shard->n_items = header.n_items;
    shard->crc = header.crc;
    shard->narrow = header.id_bytes == 2 ? (const void *)ids : NULL;
    shard->wide = header.id_bytes == 4 ? (const void *)ids : NULL;
    shard->items = (const void *)(ids + ids_bytes);
    return check_items(shard, path, err);
}

bool shard_check(Shard *shard, const char *path, Error *err) {
    const unsigned char *bytes = shard->file.bytes + sizeof(ShardHeader);
    uint32_t found = crc_of(bytes, shard->file.size_bytes - sizeof(ShardHeader));
    if (found != shard->crc) {
        char shown[FILE_NAME_TEXT_BYTES];
        return error_set(err, "%s: damaged: expected the checksum %08" PRIx32 ", found %08" PRIx32,
                         file_shown(path, shown), shard->crc, found);
    }
    shard->is_checked = true;
    return true;
}
