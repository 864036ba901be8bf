#include "CSwiftRuntime.h"

static _Thread_local void *materialisation;
static _Thread_local void *ownership;

void *core_data_materialisation(void) { return materialisation; }
void core_data_set_materialisation(void *value) { materialisation = value; }
void *core_data_queue_ownership(void) { return ownership; }
void core_data_set_queue_ownership(void *value) { ownership = value; }
