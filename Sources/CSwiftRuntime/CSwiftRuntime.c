#define _GNU_SOURCE
#include "CSwiftRuntime.h"

static _Thread_local void *materialisation;
static _Thread_local void *ownership;

void *core_data_materialisation(void) { return materialisation; }
void core_data_set_materialisation(void *value) { materialisation = value; }
void *core_data_queue_ownership(void) { return ownership; }
void core_data_set_queue_ownership(void *value) { ownership = value; }

static _Thread_local void *waiting;
void *core_data_waiting(void) { return waiting; }
void core_data_set_waiting(void *value) { waiting = value; }

// A program has few modules with managed objects. If it has more than these, the others' classes are found when one of
// their classes is first used.
enum { maximal_module_count = 256 };
static const char *_Atomic modules[maximal_module_count];
static _Atomic _Bool module_accessors[maximal_module_count];
static _Atomic size_t module_count;

void core_data_note_module(const char *name, _Bool has_own_accessors) {
  size_t index = __c11_atomic_fetch_add(&module_count, 1, __ATOMIC_RELAXED);
  if (index >= maximal_module_count) return;
  __c11_atomic_store(&module_accessors[index], has_own_accessors, __ATOMIC_RELAXED);
  __c11_atomic_store(&modules[index], name, __ATOMIC_RELEASE);
}

const char *core_data_noted_module(size_t index) {
  return index < maximal_module_count ? __c11_atomic_load(&modules[index], __ATOMIC_ACQUIRE) : NULL;
}

_Bool core_data_module_has_own_accessors(size_t index) {
  return __c11_atomic_load(&module_accessors[index], __ATOMIC_RELAXED);
}

_Bool core_data_guards_queues;
_Bool core_data_knows_small_strings;
const void *core_data_string_class;
long core_data_column_stride;

static _Atomic long long last_temporary_key;

long long core_data_next_temporary_key(void) {
  return __c11_atomic_fetch_sub(&last_temporary_key, 1, __ATOMIC_RELAXED) - 1;
}

#include <string.h>

const void *core_data_find(const void *bytes, size_t length, const char *text) {
  return memmem(bytes, length, text, strlen(text));
}

#include <dlfcn.h>

const char *core_data_file_of_code(const void *address, const void **start) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fbase) return NULL;
  *start = info.dli_fbase;
  return info.dli_fname;
}

#include <string.h>

void core_data_take_arguments(va_list list, const char *kinds, size_t count, uint64_t *words) {
  for (size_t index = 0; index < count; index++) {
    switch (kinds[index]) {
    case 'i': words[index] = (uint64_t)(int64_t)va_arg(list, int); break;
    case 'l': words[index] = (uint64_t)va_arg(list, int64_t); break;
    case 'd': {
      double value = va_arg(list, double);
      memcpy(&words[index], &value, sizeof value);
      break;
    }
    default: words[index] = (uint64_t)(uintptr_t)va_arg(list, void *);
    }
  }
}

#include <pthread.h>

// Any word of the stack may be read, also those between variables that the address sanitizer marks.
__attribute__((noinline, no_sanitize("address", "thread"))) size_t core_data_count_frames(void) {
  size_t count = 0;
#if defined(__linux__)
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  int code = pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (code != 0) return 0;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uintptr_t last = (uintptr_t)low + size - 2 * sizeof(uintptr_t);
  // A frame begins with the address of the next one and the address to return to. This function's own isn't counted.
  for (;;) {
    uintptr_t next = *(const uintptr_t *)frame;
    if (next <= frame || next > last || next % sizeof(uintptr_t) != 0) break;
    frame = next;
    count += 1;
  }
#endif
  return count;
}
