// model_file.c - reads and writes the protobuf of a .model file.
#include "engine/tokenizers/formats/model_file.h"

#include <stdlib.h>
#include <string.h>

#include "plugins/sentencepiece/model.pb-c.h"

extern const ModelFileMethods attend_model_file;

static ModelText text_of(protobuf_c_boolean has, ProtobufCBinaryData data) {
    return has ? (ModelText){(const char *)data.data, data.len} : (ModelText){NULL, 0};
}

static void read_trainer(ModelFile *file, const Attend__ModelTrainer *trainer) {
    file->model_type = trainer->model_type;
    file->whitespace_as_suffix = trainer->treat_whitespace_as_suffix;
    file->byte_fallback = trainer->byte_fallback;
    file->unk_id = trainer->unk_id;
    file->bos_id = trainer->bos_id;
    file->eos_id = trainer->eos_id;
    file->pad_id = trainer->pad_id;
    file->unk_surface = text_of(trainer->has_unk_surface, trainer->unk_surface);
    file->unk_piece = text_of(trainer->has_unk_piece, trainer->unk_piece);
    file->bos_piece = text_of(trainer->has_bos_piece, trainer->bos_piece);
    file->eos_piece = text_of(trainer->has_eos_piece, trainer->eos_piece);
    file->pad_piece = text_of(trainer->has_pad_piece, trainer->pad_piece);
}

static void read_normalizer(ModelFile *file, const Attend__ModelNormalizer *normalizer) {
    file->normalization = text_of(normalizer->has_name, normalizer->name);
    file->map = text_of(normalizer->has_precompiled_charsmap, normalizer->precompiled_charsmap);
    file->add_dummy_prefix = normalizer->add_dummy_prefix;
    file->remove_extra_whitespaces = normalizer->remove_extra_whitespaces;
    file->escape_whitespaces = normalizer->escape_whitespaces;
}

static void free_file(ModelFile *file) {
    if (file->unpacked != NULL) {
        attend__model_root__free_unpacked(file->unpacked, NULL);
    }
    free(file->pieces);
    *file = (ModelFile){0};
}

static bool unpack(ModelFile *file, const void *bytes, size_t length) {
    *file = (ModelFile){0};
    Attend__ModelRoot *root = attend__model_root__unpack(NULL, length, bytes);
    if (root == NULL) {
        return false;
    }
    file->unpacked = root;
    const Attend__ModelTrainer trainer = ATTEND__MODEL_TRAINER__INIT;
    const Attend__ModelNormalizer normalizer = ATTEND__MODEL_NORMALIZER__INIT;
    read_trainer(file, root->trainer != NULL ? root->trainer : &trainer);
    read_normalizer(file, root->normalizer != NULL ? root->normalizer : &normalizer);
    file->maps_back =
        root->denormalizer != NULL && root->denormalizer->precompiled_charsmap.len > 0;
    file->pieces = calloc(root->n_pieces + 1, sizeof *file->pieces);
    if (file->pieces == NULL) {
        free_file(file);
        return false;
    }
    file->n_pieces = (int)root->n_pieces;
    for (size_t i = 0; i < root->n_pieces; i++) {
        const Attend__ModelPiece *piece = root->pieces[i];
        file->pieces[i] = (ModelFilePiece){.text = text_of(piece->has_text, piece->text),
                                           .score = piece->score,
                                           .type = piece->type};
    }
    return true;
}

static void set_text(protobuf_c_boolean *has, ProtobufCBinaryData *data, ModelText text) {
    *has = 1;
    data->len = text.length;
    memcpy(&data->data, &text.bytes, sizeof data->data); // only read from
}

static void fill_trainer(Attend__ModelTrainer *trainer, const ModelFile *file) {
    attend__model_trainer__init(trainer);
    trainer->has_model_type = trainer->has_vocab_size = 1;
    trainer->model_type = file->model_type;
    trainer->vocab_size = file->n_pieces;
    trainer->has_treat_whitespace_as_suffix = trainer->has_byte_fallback = 1;
    trainer->treat_whitespace_as_suffix = file->whitespace_as_suffix;
    trainer->byte_fallback = file->byte_fallback;
    trainer->has_unk_id = trainer->has_bos_id = trainer->has_eos_id = trainer->has_pad_id = 1;
    trainer->unk_id = file->unk_id;
    trainer->bos_id = file->bos_id;
    trainer->eos_id = file->eos_id;
    trainer->pad_id = file->pad_id;
    set_text(&trainer->has_unk_surface, &trainer->unk_surface, file->unk_surface);
    const struct {
        protobuf_c_boolean *has;
        ProtobufCBinaryData *data;
        ModelText text;
    } names[] = {{&trainer->has_unk_piece, &trainer->unk_piece, file->unk_piece},
                 {&trainer->has_bos_piece, &trainer->bos_piece, file->bos_piece},
                 {&trainer->has_eos_piece, &trainer->eos_piece, file->eos_piece},
                 {&trainer->has_pad_piece, &trainer->pad_piece, file->pad_piece}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].text.bytes != NULL) {
            set_text(names[i].has, names[i].data, names[i].text);
        }
    }
}

static void fill_normalizer(Attend__ModelNormalizer *normalizer, const ModelFile *file) {
    attend__model_normalizer__init(normalizer);
    set_text(&normalizer->has_name, &normalizer->name, file->normalization);
    set_text(&normalizer->has_precompiled_charsmap, &normalizer->precompiled_charsmap, file->map);
    normalizer->has_add_dummy_prefix = normalizer->has_remove_extra_whitespaces = 1;
    normalizer->has_escape_whitespaces = 1;
    normalizer->add_dummy_prefix = file->add_dummy_prefix;
    normalizer->remove_extra_whitespaces = file->remove_extra_whitespaces;
    normalizer->escape_whitespaces = file->escape_whitespaces;
}

static char *pack(const ModelFile *file, size_t *length) {
    Attend__ModelRoot root = ATTEND__MODEL_ROOT__INIT;
    Attend__ModelTrainer trainer;
    Attend__ModelNormalizer normalizer;
    fill_trainer(&trainer, file);
    fill_normalizer(&normalizer, file);
    root.trainer = &trainer;
    root.normalizer = &normalizer;
    root.n_pieces = (size_t)file->n_pieces;
    Attend__ModelPiece *pieces = calloc(root.n_pieces + 1, sizeof *pieces);
    root.pieces =
        calloc(root.n_pieces + 1,
               sizeof(Attend__ModelPiece *)); // NOLINT(bugprone-sizeof-expression): pointers
    char *bytes = NULL;
    if (pieces != NULL && root.pieces != NULL) {
        for (size_t i = 0; i < root.n_pieces; i++) {
            root.pieces[i] = &pieces[i];
            attend__model_piece__init(&pieces[i]);
            set_text(&pieces[i].has_text, &pieces[i].text, file->pieces[i].text);
            pieces[i].has_score = 1;
            pieces[i].score = file->pieces[i].score;
            pieces[i].has_type = file->pieces[i].type != 1;
            pieces[i].type = file->pieces[i].type;
        }
        *length = attend__model_root__get_packed_size(&root);
        bytes = malloc(*length + 1);
        if (bytes != NULL) {
            attend__model_root__pack(&root, (uint8_t *)bytes);
        }
    }
    free(pieces);
    free(root.pieces);
    return bytes;
}

__attribute__((visibility("default"))) const ModelFileMethods attend_model_file = {
    .unpack = unpack,
    .free = free_file,
    .pack = pack,
};
