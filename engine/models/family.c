// family.c - the table of model families.
#include "engine/models/family.h"

#define FAMILY_DECLARE(upper, lower) extern const Family family_##lower;
FAMILY_LIST(FAMILY_DECLARE)
#undef FAMILY_DECLARE

#define FAMILY_ROW(upper, lower) [FAMILY_##upper] = &family_##lower,
const Family *const FAMILIES[FAMILY_COUNT] = {FAMILY_LIST(FAMILY_ROW)};
#undef FAMILY_ROW

const Family *family_of(const ModelConfig *config) {
    return FAMILIES[config->family];
}

bool family_has_switch(const ModelConfig *config, FamilySwitch which) {
    return (family_of(config)->switches(config) & (unsigned)which) != 0;
}

bool family_check_writes(const ModelConfig *config, const char *name, Error *err) {
    return family_of(config)->n_classes == 0 ||
           error_set(err,
                     "%s tells classes of points and writes no text: expected a language model; "
                     "lesson 1 trains it",
                     name);
}
