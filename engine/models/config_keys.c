// config_keys.c - the fields of a Hugging Face GPT-2's config.json that have no effect here.
#include "engine/models/config_keys.h"

#include "engine/files/json_keys.h"
#include "engine/models/end_ids.h"

// Used, refused with another value, or without effect: docs/configuration.md says which and why.
static const char *const KNOWN[] = {
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_commit_hash",
    "_name_or_path",
    "activation_function",
    "add_cross_attention",
    "architectures",
    "attn_implementation",
    "attn_pdrop",
    "auto_map",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token_id",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dropout",
    "dtype",
    "early_stopping",
    "embd_pdrop",
    "encoder_no_repeat_ngram_size",
    "eos_token_id",
    "experts_implementation",
    "exponential_decay_length_penalty",
    "family",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "gradient_checkpointing",
    "id2label",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "label_smoothing",
    "layer_norm_epsilon",
    "length_penalty",
    "max_length",
    "min_length",
    "model_type",
    "n_ctx",
    "n_embd",
    "n_head",
    "n_inner",
    "n_layer",
    "n_positions",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_scores",
    "pad_token_id",
    "prefix",
    "problem_type",
    "pruned_heads",
    "quantization_config",
    "remove_invalid_values",
    "reorder_and_upcast_attn",
    "repetition_penalty",
    "resid_pdrop",
    "return_dict",
    "return_dict_in_generate",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "sep_token_id",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "typical_p",
    "use_bfloat16",
    "use_cache",
    "vocab_size",
};
enum { N_KNOWN = sizeof KNOWN / sizeof KNOWN[0] };

void config_keys_name_unknown(json_t *object, const char *where, Buffer *notes) {
    static const char *const IDS[] = {"bos_token_id", "eos_token_id"};
    json_keys_name_unknown(object, where, KNOWN, N_KNOWN, notes);
    const json_int_t size = json_integer_value(json_object_get(object, "vocab_size"));
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        if (json_integer_value(json_object_get(object, IDS[i])) == END_IDS_GPT2 &&
            size <= END_IDS_GPT2) {
            buffer_format(notes,
                          "%s: \"%s\" is %d, as GPT-2 has it, which is not among the %lld tokens: "
                          "it stands for none\n",
                          where, IDS[i], END_IDS_GPT2, (long long)size);
        }
    }
}
