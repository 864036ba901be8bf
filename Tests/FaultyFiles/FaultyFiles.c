#define _GNU_SOURCE
#include "FaultyState.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WATCH_LIMIT = 256 };

struct Buffer {
  unsigned char *bytes;
  size_t length;
  size_t capacity;
};

struct Watch {
  char folder[PATH_MAX];
  size_t length;
  int is_used;
  long count;
  long kill_at;
  int kill_moment;
  int report;
  int fail_mask;
  long fail_skipped;
  long fail_times;
  int fail_error;
  char fail_suffix[64];
  int traces;
  char *trace;
  size_t trace_length;
  size_t trace_capacity;
  long failures;
  int records;
  struct Buffer record;
};

// `lock` protects `watches`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Watch watches[WATCH_LIMIT];
atomic_int faulty_watch_count;

int faulty_is_available(void) { return FAULTY_HOOKS; }

int faulty_watch(const char *folder) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  if (length >= PATH_MAX) return -1;
  pthread_mutex_lock(&lock);
  int number = -1;
  for (int i = 0; i < WATCH_LIMIT && number < 0; i++)
    if (!watches[i].is_used) number = i;
  if (number >= 0) {
    struct Watch *watch = &watches[number];
    free(watch->trace);
    free(watch->record.bytes);
    memset(watch, 0, sizeof *watch);
    memcpy(watch->folder, folder, length);
    watch->length = length;
    watch->is_used = 1;
    watch->report = -1;
    atomic_fetch_add(&faulty_watch_count, 1);
  }
  pthread_mutex_unlock(&lock);
  return number;
}

void faulty_unwatch(int number) {
  pthread_mutex_lock(&lock);
  if (watches[number].is_used) atomic_fetch_sub(&faulty_watch_count, 1);
  watches[number].is_used = 0;
  pthread_mutex_unlock(&lock);
}

long faulty_count(int number) {
  pthread_mutex_lock(&lock);
  long count = watches[number].count;
  pthread_mutex_unlock(&lock);
  return count;
}

void faulty_kill(int number, long operation, int moment, int report) {
  pthread_mutex_lock(&lock);
  watches[number].kill_at = operation;
  watches[number].kill_moment = moment;
  watches[number].report = report;
  pthread_mutex_unlock(&lock);
}

void faulty_fail(int number, int mask, long skipped, long times, int error, const char *suffix) {
  pthread_mutex_lock(&lock);
  struct Watch *watch = &watches[number];
  watch->fail_mask = mask;
  watch->fail_skipped = skipped;
  watch->fail_times = times;
  watch->fail_error = error;
  watch->failures = 0;
  snprintf(watch->fail_suffix, sizeof watch->fail_suffix, "%s", suffix ? suffix : "");
  pthread_mutex_unlock(&lock);
}

void faulty_mend(int number) {
  pthread_mutex_lock(&lock);
  watches[number].fail_mask = 0;
  pthread_mutex_unlock(&lock);
}

long faulty_failures(int number) {
  pthread_mutex_lock(&lock);
  long failures = watches[number].failures;
  pthread_mutex_unlock(&lock);
  return failures;
}

void faulty_trace(int number) {
  pthread_mutex_lock(&lock);
  watches[number].traces = 1;
  watches[number].trace_length = 0;
  pthread_mutex_unlock(&lock);
}

char *faulty_take_trace(int number) {
  pthread_mutex_lock(&lock);
  struct Watch *watch = &watches[number];
  char *text = malloc(watch->trace_length + 1);
  if (text) {
    if (watch->trace_length) memcpy(text, watch->trace, watch->trace_length);
    text[watch->trace_length] = 0;
  }
  watch->trace_length = 0;
  pthread_mutex_unlock(&lock);
  return text;
}

// Recording.

static void add(struct Buffer *buffer, const void *bytes, size_t length) {
  if (buffer->length + length > buffer->capacity) {
    size_t capacity = (buffer->length + length) * 2 + 65536;
    unsigned char *longer = realloc(buffer->bytes, capacity);
    // A test of a recording with a gap would prove nothing.
    if (!longer) abort();
    buffer->bytes = longer;
    buffer->capacity = capacity;
  }
  if (length) memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void faulty_record(int number) {
  pthread_mutex_lock(&lock);
  watches[number].records = 1;
  watches[number].record.length = 0;
  pthread_mutex_unlock(&lock);
}

static void add_record(int number, int kind, const char *name, const char *second, long offset, long size,
                       const void *bytes) {
  struct FaultyRecord head = {kind, (int)strlen(name), (int)strlen(second), 0, offset, size};
  pthread_mutex_lock(&lock);
  struct Watch *watch = &watches[number];
  if (watch->records) {
    add(&watch->record, &head, sizeof head);
    add(&watch->record, name, (size_t)head.name_length);
    add(&watch->record, second, (size_t)head.second_length);
    if (kind == FAULTY_WRITE) add(&watch->record, bytes, (size_t)size);
  }
  pthread_mutex_unlock(&lock);
}

void faulty_note(const struct Step *step, const void *bytes, long size, long offset) {
  int kind = step->kind;
  if (step->recorder < 0 || kind >= FAULTY_OPEN_TO_READ || (kind == FAULTY_WRITE && !bytes)) return;
  add_record(step->recorder, kind, step->name, step->second, offset, size, bytes);
}

void faulty_mark(int number, long mark) { add_record(number, FAULTY_MARK, "", "", -1, mark, NULL); }

unsigned char *faulty_take_record(int number, size_t *length) {
  pthread_mutex_lock(&lock);
  struct Watch *watch = &watches[number];
  unsigned char *bytes = watch->record.bytes;
  *length = watch->record.length;
  memset(&watch->record, 0, sizeof watch->record);
  watch->records = 0;
  pthread_mutex_unlock(&lock);
  return bytes;
}

static int write_all(int descriptor, const char *text, size_t length) {
  while (length > 0) {
    long written = syscall(SYS_write, descriptor, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    text += written;
    length -= (size_t)written;
  }
  return 0;
}

int faulty_append(int descriptor, const char *line) {
  if (write_all(descriptor, line, strlen(line)) != 0) return -1;
  return (int)syscall(SYS_fsync, descriptor);
}

static const char *name_of(int kind) {
  switch (kind) {
  case FAULTY_CREATE: return "create";
  case FAULTY_WRITE: return "write";
  case FAULTY_SYNC: return "sync";
  case FAULTY_TRUNCATE: return "truncate";
  case FAULTY_RENAME: return "rename";
  case FAULTY_LINK: return "link";
  case FAULTY_UNLINK: return "unlink";
  case FAULTY_MKDIR: return "mkdir";
  case FAULTY_RMDIR: return "rmdir";
  default: return "open";
  }
}

_Noreturn void faulty_die(const struct Step *step) {
  static const char *const moments[] = {"before", "after", "middle"};
  char line[PATH_MAX + 64];
  snprintf(line, sizeof line, "kill %s %s %s\n", moments[step->moment], name_of(step->kind), step->name);
  if (step->report >= 0) write_all(step->report, line, strlen(line));
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void note(struct Watch *watch, const char *line, size_t length) {
  if (watch->trace_length + length > watch->trace_capacity) {
    size_t capacity = (watch->trace_length + length) * 2 + 4096;
    char *longer = realloc(watch->trace, capacity);
    if (!longer) return;
    watch->trace = longer;
    watch->trace_capacity = capacity;
  }
  memcpy(watch->trace + watch->trace_length, line, length);
  watch->trace_length += length;
}

static int ends_in(const char *name, const char *suffix) {
  size_t length = strlen(name), end = strlen(suffix);
  return end == 0 || (length >= end && strcmp(name + length - end, suffix) == 0);
}

void faulty_begin(struct Step *step, int kind, const char *path, const char *second, long size, long offset) {
  step->verdict = FAULTY_GO;
  step->recorder = -1;
  step->kind = kind;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < WATCH_LIMIT; i++) {
    struct Watch *watch = &watches[i];
    if (!watch->is_used || strncmp(path, watch->folder, watch->length) != 0) continue;
    if (path[watch->length] != '/' && path[watch->length] != 0) continue;
    const char *name = path[watch->length] ? path + watch->length + 1 : ".";
    int is_numbered = kind < FAULTY_OPEN_TO_READ;
    if (is_numbered) watch->count++;
    const char *other = second ? second : "";
    if (second && strncmp(second, watch->folder, watch->length) == 0 && second[watch->length] == '/')
      other += watch->length + 1;
    if (watch->records) {
      step->recorder = i;
      snprintf(step->name, sizeof step->name, "%s", name);
      snprintf(step->second, sizeof step->second, "%s", other);
    }
    if (watch->fail_mask & kind && ends_in(name, watch->fail_suffix)) {
      if (watch->fail_skipped > 0) {
        watch->fail_skipped--;
      } else if (watch->fail_times != 0) {
        if (watch->fail_times > 0) watch->fail_times--;
        watch->failures++;
        step->verdict = FAULTY_FAIL;
        step->error = watch->fail_error;
      }
    }
    if (is_numbered && watch->kill_at == watch->count) {
      int moment = watch->kill_moment;
      if (moment == FAULTY_MIDDLE && (kind != FAULTY_WRITE || size < 2)) moment = FAULTY_BEFORE;
      step->moment = moment;
      step->report = watch->report;
      snprintf(step->name, sizeof step->name, "%s", name);
      step->verdict = moment == FAULTY_BEFORE  ? FAULTY_DIE
                      : moment == FAULTY_AFTER ? FAULTY_DIE_AFTER
                                               : FAULTY_DIE_HALFWAY;
    }
    if (watch->traces && is_numbered) {
      char line[2 * PATH_MAX + 128];
      int length = snprintf(line, sizeof line, "%s %s", name_of(kind), name);
      if (second) length += snprintf(line + length, sizeof line - length, " -> %s", other);
      if (size >= 0) length += snprintf(line + length, sizeof line - length, " %ld", size);
      if (offset >= 0) length += snprintf(line + length, sizeof line - length, "@%ld", offset);
      if (step->verdict == FAULTY_FAIL)
        length += snprintf(line + length, sizeof line - length, " failed %s", strerrorname_np(step->error));
      length += snprintf(line + length, sizeof line - length, "\n");
      note(watch, line, (size_t)length);
    }
    break;
  }
  pthread_mutex_unlock(&lock);
  if (step->verdict == FAULTY_DIE) faulty_die(step);
}

void faulty_begin_descriptor(struct Step *step, int kind, int descriptor, long size, long offset) {
  char link[64], path[PATH_MAX];
  step->verdict = FAULTY_GO;
  step->recorder = -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return;
  path[length] = 0;
  faulty_begin(step, kind, path, NULL, size, offset);
}

void faulty_begin_at(
    struct Step *step, int kind, int directory, const char *path, int second_directory, const char *second) {
  char first_path[PATH_MAX], second_path[PATH_MAX];
  step->verdict = FAULTY_GO;
  step->recorder = -1;
  if (!faulty_absolute(directory, path, first_path)) return;
  if (second && !faulty_absolute(second_directory, second, second_path)) second = NULL;
  faulty_begin(step, kind, first_path, second ? second_path : NULL, -1, -1);
}

int faulty_absolute(int directory, const char *path, char *result) {
  if (!path) return 0;
  if (path[0] == '/') return snprintf(result, PATH_MAX, "%s", path) < PATH_MAX;
  char link[64], base[PATH_MAX];
  if (directory == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, base, sizeof base - 1);
  if (length <= 0) return 0;
  base[length] = 0;
  return snprintf(result, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}
