#ifndef FAULTY_STATE_H
#define FAULTY_STATE_H

#include "FaultyFiles.h"

#include <limits.h>
#include <stdatomic.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAULTY_HOOKS 0
#endif
#endif
#ifndef FAULTY_HOOKS
#define FAULTY_HOOKS 1
#endif

enum { FAULTY_GO, FAULTY_FAIL, FAULTY_DIE, FAULTY_DIE_AFTER, FAULTY_DIE_HALFWAY };

/// What is to happen to one operation.
struct Step {
  int verdict;
  int kind;
  int error;
  int moment;
  int report;
  /// The watch that records the operation; -1 for none.
  int recorder;
  char name[PATH_MAX];
  char second[PATH_MAX];
};

/// How many folders are watched. While there are none, every function calls the C library's at once.
extern atomic_int faulty_watch_count;

/// Counts an operation, adds it to the trace, and decides what happens to it. Doesn't return if the process is to end
/// before the operation.
void faulty_begin(struct Step *step, int kind, const char *path, const char *second, long size, long offset);
void faulty_begin_descriptor(struct Step *step, int kind, int descriptor, long size, long offset);
void faulty_begin_at(
    struct Step *step, int kind, int directory, const char *path, int second_directory, const char *second);
/// Records an operation that succeeded. `bytes` are those of a write.
void faulty_note(const struct Step *step, const void *bytes, long size, long offset);
_Noreturn void faulty_die(const struct Step *step);
/// Writes the absolute path of a path in an open directory into `result`; returns 0 if there is none.
int faulty_absolute(int directory, const char *path, char *result);

#endif
