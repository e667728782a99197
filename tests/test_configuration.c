// test_configuration.c - each field of Hugging Face's configurations does what the docs say of it.
#include "tests/support.h"

#include <string.h>

#include "engine/base/buffer.h"
#include "engine/files/json_text.h"
#include "engine/models/config.h"
#include "engine/models/config_keys.h"
#include "engine/models/end_ids.h"
#include "tests/folder.h"
#include "tests/support_docs.h"

// What transformers writes of a GPT-2, all of its fields, also those that it leaves out where they
// are as usual; and those of older versions. The sizes are small.
static const char WRITTEN[] =
    "{\"model_type\": \"gpt2\", \"vocab_size\": 20, \"n_positions\": 8, \"n_embd\": 8, "
    "\"n_layer\": 1,"
    "\"n_head\": 2, \"n_inner\": null, \"activation_function\": \"gelu_new\", \"resid_pdrop\": 0.1,"
    "\"embd_pdrop\": 0.1, \"attn_pdrop\": 0.1, \"layer_norm_epsilon\": 1e-05,"
    "\"initializer_range\": 0.02, \"scale_attn_weights\": true, \"bos_token_id\": 3,"
    "\"eos_token_id\": 4, \"scale_attn_by_inverse_layer_idx\": false, \"tie_word_embeddings\": "
    "true,"
    "\"add_cross_attention\": false, \"is_encoder_decoder\": false, \"pruned_heads\": {},"
    "\"quantization_config\": null, \"_name_or_path\": \"gpt2\", \"architectures\": [\"G\"],"
    "\"auto_map\": {}, \"transformers_version\": \"4.40.0\", \"torch_dtype\": \"float32\","
    "\"dtype\": \"float32\", \"tokenizer_class\": null, \"finetuning_task\": null,"
    "\"task_specific_params\": {}, \"prefix\": null, \"_commit_hash\": null,"
    "\"_attn_implementation\": \"eager\", \"_attn_implementation_autoset\": true,"
    "\"attn_implementation\": null, \"experts_implementation\": null, \"n_ctx\": 8,"
    "\"use_cache\": true, \"gradient_checkpointing\": false, \"chunk_size_feed_forward\": 0,"
    "\"reorder_and_upcast_attn\": false, \"torchscript\": false, \"use_bfloat16\": false,"
    "\"output_past\": true, \"tf_legacy_loss\": false, \"output_attentions\": false,"
    "\"output_hidden_states\": false, \"return_dict\": true, \"summary_type\": \"cls_index\","
    "\"summary_use_proj\": true, \"summary_activation\": null, \"summary_proj_to_labels\": true,"
    "\"summary_first_dropout\": 0.1, \"id2label\": {}, \"label2id\": {}, \"num_labels\": 2,"
    "\"problem_type\": null, \"is_decoder\": false, \"cross_attention_hidden_size\": null,"
    "\"decoder_start_token_id\": null, \"tie_encoder_decoder\": false, \"pad_token_id\": null,"
    "\"sep_token_id\": null, \"max_length\": 20, \"min_length\": 0, \"do_sample\": false,"
    "\"early_stopping\": false, \"num_beams\": 1, \"num_beam_groups\": 1,"
    "\"diversity_penalty\": 0.0, \"temperature\": 1.0, \"top_k\": 50, \"top_p\": 1.0,"
    "\"typical_p\": 1.0, \"repetition_penalty\": 1.0, \"length_penalty\": 1.0,"
    "\"no_repeat_ngram_size\": 0, \"encoder_no_repeat_ngram_size\": 0, \"bad_words_ids\": null,"
    "\"num_return_sequences\": 1, \"output_scores\": false, \"return_dict_in_generate\": false,"
    "\"forced_bos_token_id\": null, \"forced_eos_token_id\": null,"
    "\"remove_invalid_values\": false, \"exponential_decay_length_penalty\": null,"
    "\"suppress_tokens\": null, \"begin_suppress_tokens\": null}";

static json_t *written(void) {
    Error err = {""};
    json_t *object = json_text_parse(WRITTEN, strlen(WRITTEN), "config.json", &err);
    support_require(object != NULL, &err);
    return object;
}

// Another value than transformers' own.
static json_t *other_value(const json_t *value) {
    if (json_is_integer(value)) {
        return json_integer(2 * json_integer_value(value) + (json_integer_value(value) == 0));
    }
    if (json_is_real(value)) {
        return json_real(json_real_value(value) / 2.0);
    }
    if (json_is_object(value)) {
        return json_pack("{s:[i]}", "0", 1);
    }
    return json_is_boolean(value) ? json_boolean(!json_is_true(value))
           : json_is_null(value)  ? json_integer(3)
                                  : json_string("other");
}

static void check_field(const char *field, const char *effect, const FileBytes *usual) {
    json_t *object = written();
    json_t *value = other_value(json_object_get(object, field));
    json_object_set_new(object, field, value);
    ModelConfig config;
    Error err = {""};
    FileBytes text = {0};
    Buffer notes = {0};
    bool ok = config_read(&config, object, "config.json", &err);
    config_keys_name_unknown(object, "config.json", &notes);
    if (notes.length > 0) {
        fail_msg("%s is on the docs' list, and not known: %s", field, notes.bytes);
    }
    if (ok != (strcmp(effect, "refused") != 0) && strcmp(field, "model_type") != 0) {
        fail_msg("%s: \"%s\" in the docs: %s", field, effect, ok ? "it is taken" : err.text);
    }
    assert_true(ok || strstr(err.text, field) != NULL);
    if (ok) {
        assert_true(config_to_text(&config, &text));
        bool is_same = strcmp((const char *)text.bytes, (const char *)usual->bytes) == 0;
        if (is_same == (strcmp(effect, "used") == 0)) {
            fail_msg("%s: \"%s\" in the docs, but the model is %s", field, effect,
                     is_same ? "the same" : "another");
        }
    }
    file_close(&text);
    buffer_free(&notes);
    json_decref(object);
}

static void every_field_does_what_the_docs_say(void **state) {
    (void)state;
    Buffer docs = {0};
    ModelConfig config;
    FileBytes usual = {0};
    Error err = {""};
    json_t *object = written();
    support_docs_read(&docs);
    support_require(config_read(&config, object, "config.json", &err), &err);
    assert_true(config_to_text(&config, &usual));
    const char *field = NULL;
    json_t *value = NULL;
    json_object_foreach(object, field, value) {
        char effect[16] = "";
        if (!support_docs_effect(&docs, "\n## config.json\n", field, effect)) {
            fail_msg("docs/configuration.md has no row for %s", field);
        }
        check_field(field, effect, &usual);
    }
    json_decref(object);
    file_close(&usual);
    buffer_free(&docs);
}

static void a_field_that_nobody_knows_is_named(void **state) {
    (void)state;
    json_t *object = written();
    Buffer notes = {0};
    json_object_set_new(object, "rope_theta", json_integer(10000));
    config_keys_name_unknown(object, "config.json", &notes);
    assert_string_equal(notes.bytes,
                        "config.json: \"rope_theta\" is not known, and has no effect\n");
    buffer_free(&notes);
    json_decref(object);
}

static void an_id_of_gpt2s_own_vocabulary_stands_for_none(void **state) {
    (void)state;
    json_t *object = written();
    Buffer notes = {0};
    ModelConfig config;
    Error err = {""};
    json_object_set_new(object, "eos_token_id", json_integer(50256));
    support_require(config_read(&config, object, "config.json", &err), &err);
    assert_int_equal(config.eos_id, -1);
    config_keys_name_unknown(object, "config.json", &notes);
    assert_string_equal(notes.bytes,
                        "config.json: \"eos_token_id\" is 50256, as GPT-2 has it, which "
                        "is not among the 20 tokens: it stands for none\n");
    buffer_free(&notes);
    json_decref(object);
}

// ---- generation_config.json

static void read_generation(const char *text, EndIds *ends, Buffer *notes) {
    char folder[FOLDER_PATH_BYTES];
    char path[FOLDER_PATH_BYTES];
    Error err = {""};
    Buffer file = {0};
    *ends = (EndIds){.n_ids = 0};
    notes->length = 0;
    folder_make(folder);
    buffer_append_text(&file, text);
    support_require(buffer_save(&file, folder_path(folder, "generation_config.json", path), &err) &&
                        end_ids_read(ends, folder, 20, notes, &err),
                    &err);
    buffer_free(&file);
    folder_remove(folder);
}

static void a_generation_config_ends_texts_and_the_rest_is_named(void **state) {
    (void)state;
    static const char *const SILENT[] = {"bos_token_id", "pad_token_id", "use_cache",
                                         "_from_model_config", "transformers_version"};
    Buffer docs = {0};
    Buffer notes = {0};
    EndIds ends;
    support_docs_read(&docs);
    for (size_t i = 0; i < sizeof SILENT / sizeof SILENT[0]; i++) {
        char text[100];
        char effect[16] = "";
        assert_true(support_docs_effect(&docs, "\n## generation_config.json\n", SILENT[i], effect));
        assert_string_equal(effect, "no effect");
        snprintf(text, sizeof text, "{\"%s\": 1}", SILENT[i]);
        read_generation(text, &ends, &notes);
        assert_int_equal(ends.n_ids, 0);
        assert_int_equal(notes.length, 0);
    }
    read_generation("{\"eos_token_id\": [3, 5, 3, 50256], \"top_p\": 0.9, \"do_sample\": true}",
                    &ends, &notes);
    assert_int_equal(ends.n_ids, 2);
    assert_true(end_ids_have(&ends, 3) && end_ids_have(&ends, 5));
    assert_non_null(strstr(notes.bytes, "\"top_p\", \"do_sample\" have no effect"));
    buffer_free(&notes);
    buffer_free(&docs);
}

// What transformers writes of how texts are generated, now and in older versions.
static const char *const GENERATION_FIELDS[] = {
    "_from_model_config",
    "assistant_confidence_threshold",
    "assistant_early_exit",
    "assistant_ensemble_weight",
    "assistant_lookbehind",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token_id",
    "cache_config",
    "cache_implementation",
    "compile_config",
    "constraints",
    "continuous_batching_config",
    "decoder_start_token_id",
    "disable_compile",
    "diversity_penalty",
    "do_sample",
    "dola_layers",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "encoder_repetition_penalty",
    "eos_token_id",
    "epsilon_cutoff",
    "eta_cutoff",
    "exponential_decay_length_penalty",
    "force_words_ids",
    "forced_bos_token_id",
    "forced_decoder_ids",
    "forced_eos_token_id",
    "generation_kwargs",
    "guidance_scale",
    "is_assistant",
    "length_penalty",
    "low_memory",
    "max_cache_len",
    "max_length",
    "max_matching_ngram_size",
    "max_new_tokens",
    "max_time",
    "min_length",
    "min_new_tokens",
    "min_p",
    "no_repeat_ngram_size",
    "num_assistant_tokens",
    "num_assistant_tokens_schedule",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_logits",
    "output_scores",
    "pad_token_id",
    "penalty_alpha",
    "prefill_chunk_size",
    "prompt_lookup_num_tokens",
    "remove_invalid_values",
    "renormalize_logits",
    "repetition_penalty",
    "return_dict_in_generate",
    "return_legacy_cache",
    "sequence_bias",
    "speculation_type",
    "stop_strings",
    "suppress_tokens",
    "target_lookbehind",
    "temperature",
    "token_healing",
    "top_h",
    "top_k",
    "top_p",
    "transformers_version",
    "typical_p",
    "use_cache",
    "use_mtp",
    "watermarking_config",
};

static void every_field_of_generation_is_used_or_named(void **state) {
    (void)state;
    Buffer docs = {0};
    Buffer notes = {0};
    EndIds ends;
    support_docs_read(&docs);
    for (size_t i = 0; i < sizeof GENERATION_FIELDS / sizeof GENERATION_FIELDS[0]; i++) {
        const char *field = GENERATION_FIELDS[i];
        char text[100];
        char effect[16] = "";
        const bool has_row =
            support_docs_effect(&docs, "\n## generation_config.json\n", field, effect);
        snprintf(text, sizeof text, "{\"%s\": 2}", field);
        read_generation(text, &ends, &notes);
        const bool is_named = notes.length > 0 && strstr(notes.bytes, field) != NULL;
        if ((ends.n_ids > 0) != (has_row && strcmp(effect, "used") == 0) || is_named == has_row) {
            fail_msg("%s: \"%s\" in the docs, but it is %s", field, effect,
                     is_named         ? "named"
                     : ends.n_ids > 0 ? "used"
                                      : "silent");
        }
    }
    buffer_free(&docs);
    buffer_free(&notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_does_what_the_docs_say),
        cmocka_unit_test(a_field_that_nobody_knows_is_named),
        cmocka_unit_test(an_id_of_gpt2s_own_vocabulary_stands_for_none),
        cmocka_unit_test(a_generation_config_ends_texts_and_the_rest_is_named),
        cmocka_unit_test(every_field_of_generation_is_used_or_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
