// trace_output.h - the stages of a run written in each format.
#ifndef APP_COMMANDS_TRACE_OUTPUT_H
#define APP_COMMANDS_TRACE_OUTPUT_H

#include "engine/playground/model_input.h"

typedef enum TraceFormat { TRACE_TEXT, TRACE_JSON, TRACE_SAFETENSORS, TRACE_NPY } TraceFormat;

typedef struct TraceOutput {
    const OpenModel *opened; // run
    Node *const *nodes;      // n_nodes stages
    int n_nodes;
    bool is_whole;    // text: no summaries
    const char *path; // "-": standard output
} TraceOutput;

bool trace_output_find_format(const char *name, TraceFormat *format, Error *err);

// Whole or not at all. A single number has shape (1) in files, as NumPy wrote the references.
bool trace_output_write(const TraceOutput *output, TraceFormat format, Error *err);

#endif
