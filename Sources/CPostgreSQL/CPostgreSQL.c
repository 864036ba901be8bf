#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The address of each function, once the library is loaded.
#define CPQ_POINTER(Result, name, swift, parameters, arguments) static Result(*name##_pointer) parameters;
CPQ_FUNCTIONS(CPQ_POINTER)
#undef CPQ_POINTER

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];

static void load(void) {
  // libpq has been "libpq.so.5" in every release since 2006.
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *said = dlerror();
    snprintf(problem, sizeof problem, "%s", said ? said : "libpq.so.5 was not found");
    return;
  }
#define CPQ_LOOK_UP(Result, name, swift, parameters, arguments)                                                        \
  name##_pointer = (Result(*) parameters)dlsym(library, #name);                                                        \
  if (name##_pointer == NULL && problem[0] == 0) snprintf(problem, sizeof problem, "libpq.so.5 has no " #name);
  CPQ_FUNCTIONS(CPQ_LOOK_UP)
#undef CPQ_LOOK_UP
}

const char *cpq_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

#define CPQ_DEFINE(Result, name, swift, parameters, arguments)                                                         \
  Result cpq_##name parameters { return name##_pointer arguments; }
CPQ_FUNCTIONS(CPQ_DEFINE)
#undef CPQ_DEFINE
