// The C library's functions, each with a check before it of what is to happen to the operation.
#define _GNU_SOURCE
#include "FaultyState.h"

#if FAULTY_HOOKS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name, type)                                                                                   \
  static _Atomic(void *) found;                                                                            \
  void *real_address = atomic_load_explicit(&found, memory_order_relaxed);                                 \
  if (!real_address) {                                                                                     \
    real_address = dlsym(RTLD_NEXT, name);                                                                 \
    atomic_store_explicit(&found, real_address, memory_order_relaxed);                                     \
  }                                                                                                        \
  __typeof__(type) real = (__typeof__(type))real_address

#define IS_IDLE (atomic_load_explicit(&faulty_watch_count, memory_order_relaxed) == 0)

// Runs an operation as its step says. `size` is the number that a recording keeps besides the names.
#define PERFORM_SIZED(step, failed, call, size)                                                            \
  do {                                                                                                     \
    if ((step).verdict == FAULTY_FAIL) {                                                                   \
      errno = (step).error;                                                                                \
      return failed;                                                                                       \
    }                                                                                                      \
    __typeof__(call) result = call;                                                                        \
    if ((step).verdict == FAULTY_DIE_AFTER) faulty_die(&(step));                                           \
    if ((step).recorder >= 0 && result >= 0) faulty_note(&(step), 0, size, -1);                            \
    return result;                                                                                         \
  } while (0)

#define PERFORM(step, failed, call) PERFORM_SIZED(step, failed, call, 0)

// Runs a write as its step says. A negative `offset` stands for the descriptor's own position.
#define PERFORM_WRITE(step, call, descriptor, bytes, offset)                                               \
  do {                                                                                                     \
    if ((step).verdict == FAULTY_FAIL) {                                                                   \
      errno = (step).error;                                                                                \
      return -1;                                                                                           \
    }                                                                                                      \
    ssize_t result = call;                                                                                 \
    if ((step).verdict == FAULTY_DIE_AFTER) faulty_die(&(step));                                           \
    if ((step).recorder >= 0 && result > 0) note_write(&(step), descriptor, bytes, result, offset);        \
    return result;                                                                                         \
  } while (0)

// Records a write. Without `bytes`, what was written is read back from the file.
static void note_write(const struct Step *step, int descriptor, const void *bytes, ssize_t size, long offset) {
  int old = errno;
  if (offset < 0) offset = (long)syscall(SYS_lseek, descriptor, 0, SEEK_CUR) - size;
  void *copy = NULL;
  if (!bytes) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int reader = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    bytes = copy = malloc((size_t)size);
    if (reader < 0 || !copy || syscall(SYS_pread64, reader, copy, size, offset) != size) abort();
    syscall(SYS_close, reader);
  }
  faulty_note(step, bytes, size, offset);
  free(copy);
  errno = old;
}

static int exists(int directory, const char *path) {
  int old = errno;
  int answer = syscall(SYS_faccessat, directory, path, F_OK) == 0;
  errno = old;
  return answer;
}

static void begin_open(struct Step *step, int directory, const char *path, int flags) {
  int kind = flags & (O_WRONLY | O_RDWR) ? FAULTY_OPEN_TO_WRITE : FAULTY_OPEN_TO_READ;
  if (flags & O_CREAT && !exists(directory, path)) kind = FAULTY_CREATE;
  else if (flags & O_TRUNC) kind = FAULTY_TRUNCATE;
  faulty_begin_at(step, kind, directory, path, AT_FDCWD, NULL);
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                                                         \
  int name(const char *path, int flags, ...) {                                                             \
    va_list arguments;                                                                                     \
    va_start(arguments, flags);                                                                            \
    mode_t mode = mode_of(flags, arguments);                                                               \
    va_end(arguments);                                                                                     \
    REAL(#name, int (*)(const char *, int, ...));                                                          \
    if (IS_IDLE) return real(path, flags, mode);                                                           \
    struct Step step;                                                                                      \
    begin_open(&step, AT_FDCWD, path, flags);                                                              \
    PERFORM(step, -1, real(path, flags, mode));                                                            \
  }

OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                       \
  int name(int directory, const char *path, int flags, ...) {                                              \
    va_list arguments;                                                                                     \
    va_start(arguments, flags);                                                                            \
    mode_t mode = mode_of(flags, arguments);                                                               \
    va_end(arguments);                                                                                     \
    REAL(#name, int (*)(int, const char *, int, ...));                                                     \
    if (IS_IDLE) return real(directory, path, flags, mode);                                                \
    struct Step step;                                                                                      \
    begin_open(&step, directory, path, flags);                                                             \
    PERFORM(step, -1, real(directory, path, flags, mode));                                                 \
  }

OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

// Puts the name that the C library has made of a pattern into the step. It is as long as the pattern.
static int named_temporary(struct Step *step, const char *pattern, int result) {
  const char *slash = strrchr(pattern, '/');
  size_t length = strlen(slash ? slash + 1 : pattern);
  if (step->recorder >= 0 && strlen(step->name) >= length)
    memcpy(step->name + strlen(step->name) - length, pattern + strlen(pattern) - length, length);
  return result;
}

#define MAKE_TEMPORARY(name, parameters, values)                                                           \
  int name parameters {                                                                                    \
    REAL(#name, int(*) parameters);                                                                        \
    if (IS_IDLE) return real values;                                                                       \
    struct Step step;                                                                                      \
    faulty_begin_at(&step, FAULTY_CREATE, AT_FDCWD, pattern, AT_FDCWD, NULL);                              \
    PERFORM(step, -1, named_temporary(&step, pattern, real values));                                       \
  }

MAKE_TEMPORARY(mkstemp, (char *pattern), (pattern))
MAKE_TEMPORARY(mkstemp64, (char *pattern), (pattern))
MAKE_TEMPORARY(mkostemp, (char *pattern, int flags), (pattern, flags))
MAKE_TEMPORARY(mkostemp64, (char *pattern, int flags), (pattern, flags))

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL("write", ssize_t(*)(int, const void *, size_t));
  if (IS_IDLE) return real(descriptor, bytes, count);
  struct Step step;
  faulty_begin_descriptor(&step, FAULTY_WRITE, descriptor, (long)count, -1);
  if (step.verdict == FAULTY_DIE_HALFWAY) {
    real(descriptor, bytes, count / 2);
    faulty_die(&step);
  }
  PERFORM_WRITE(step, real(descriptor, bytes, count), descriptor, bytes, -1);
}

#define PWRITE(name, offset_type)                                                                          \
  ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) {                      \
    REAL(#name, ssize_t(*)(int, const void *, size_t, offset_type));                                       \
    if (IS_IDLE) return real(descriptor, bytes, count, offset);                                            \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_WRITE, descriptor, (long)count, (long)offset);                   \
    if (step.verdict == FAULTY_DIE_HALFWAY) {                                                              \
      real(descriptor, bytes, count / 2, offset);                                                          \
      faulty_die(&step);                                                                                   \
    }                                                                                                      \
    PERFORM_WRITE(step, real(descriptor, bytes, count, offset), descriptor, bytes, (long)offset);          \
  }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  REAL("writev", ssize_t(*)(int, const struct iovec *, int));
  if (IS_IDLE) return real(descriptor, parts, count);
  long size = 0;
  for (int i = 0; i < count; i++) size += (long)parts[i].iov_len;
  struct Step step;
  faulty_begin_descriptor(&step, FAULTY_WRITE, descriptor, size, -1);
  if (step.verdict == FAULTY_DIE_HALFWAY) {
    real(descriptor, parts, (count + 1) / 2);
    faulty_die(&step);
  }
  PERFORM_WRITE(step, real(descriptor, parts, count), descriptor, NULL, -1);
}

#define SENDFILE(name, offset_type)                                                                        \
  ssize_t name(int descriptor, int source, offset_type *offset, size_t count) {                            \
    REAL(#name, ssize_t(*)(int, int, offset_type *, size_t));                                              \
    if (IS_IDLE) return real(descriptor, source, offset, count);                                           \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_WRITE, descriptor, (long)count, -1);                             \
    if (step.verdict == FAULTY_DIE_HALFWAY) {                                                              \
      real(descriptor, source, offset, count / 2);                                                         \
      faulty_die(&step);                                                                                   \
    }                                                                                                      \
    PERFORM_WRITE(step, real(descriptor, source, offset, count), descriptor, NULL, -1);                    \
  }

SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

ssize_t copy_file_range(
    int source, off64_t *from, int descriptor, off64_t *to, size_t count, unsigned flags) {
  REAL("copy_file_range", ssize_t(*)(int, off64_t *, int, off64_t *, size_t, unsigned));
  if (IS_IDLE) return real(source, from, descriptor, to, count, flags);
  long offset = to ? (long)*to : -1;
  struct Step step;
  faulty_begin_descriptor(&step, FAULTY_WRITE, descriptor, (long)count, offset);
  if (step.verdict == FAULTY_DIE_HALFWAY) {
    real(source, from, descriptor, to, count / 2, flags);
    faulty_die(&step);
  }
  PERFORM_WRITE(step, real(source, from, descriptor, to, count, flags), descriptor, NULL, offset);
}

#define READ(name, parameters, values)                                                                     \
  ssize_t name parameters {                                                                                \
    REAL(#name, ssize_t(*) parameters);                                                                    \
    if (IS_IDLE) return real values;                                                                       \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_READ, descriptor, (long)count, -1);                              \
    PERFORM(step, -1, real values);                                                                        \
  }

READ(read, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count))
READ(pread, (int descriptor, void *bytes, size_t count, off_t offset), (descriptor, bytes, count, offset))
READ(pread64, (int descriptor, void *bytes, size_t count, off64_t offset), (descriptor, bytes, count, offset))

int flock(int descriptor, int kind) {
  REAL("flock", int (*)(int, int));
  if (IS_IDLE) return real(descriptor, kind);
  struct Step step;
  faulty_begin_descriptor(&step, FAULTY_LOCK, descriptor, -1, -1);
  PERFORM(step, -1, real(descriptor, kind));
}

// SQLite locks by this function. Only locking can be made to fail; unlocking and other commands always run.
#define FCNTL(name)                                                                                        \
  int name(int descriptor, int command, ...) {                                                             \
    va_list arguments;                                                                                     \
    va_start(arguments, command);                                                                          \
    void *argument = va_arg(arguments, void *);                                                            \
    va_end(arguments);                                                                                     \
    REAL(#name, int (*)(int, int, ...));                                                                   \
    int locks = (command == F_SETLK || command == F_SETLKW) && ((struct flock *)argument)->l_type != F_UNLCK; \
    if (IS_IDLE || !locks) return real(descriptor, command, argument);                                     \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_LOCK, descriptor, -1, -1);                                       \
    PERFORM(step, -1, real(descriptor, command, argument));                                                \
  }

FCNTL(fcntl)
FCNTL(fcntl64)

#define SYNC(name)                                                                                         \
  int name(int descriptor) {                                                                               \
    REAL(#name, int (*)(int));                                                                             \
    if (IS_IDLE) return real(descriptor);                                                                  \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_SYNC, descriptor, -1, -1);                                       \
    PERFORM(step, -1, real(descriptor));                                                                   \
  }

SYNC(fsync)
SYNC(fdatasync)

#define FTRUNCATE(name, offset_type)                                                                       \
  int name(int descriptor, offset_type length) {                                                           \
    REAL(#name, int (*)(int, offset_type));                                                                \
    if (IS_IDLE) return real(descriptor, length);                                                          \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_TRUNCATE, descriptor, (long)length, -1);                         \
    PERFORM_SIZED(step, -1, real(descriptor, length), (long)length);                                       \
  }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define FALLOCATE(name, offset_type)                                                                       \
  int name(int descriptor, int mode, offset_type offset, offset_type length) {                             \
    REAL(#name, int (*)(int, int, offset_type, offset_type));                                              \
    if (IS_IDLE) return real(descriptor, mode, offset, length);                                            \
    struct Step step;                                                                                      \
    faulty_begin_descriptor(&step, FAULTY_TRUNCATE, descriptor, (long)length, (long)offset);               \
    PERFORM(step, -1, real(descriptor, mode, offset, length));                                             \
  }

FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

#define TWO_PATHS(name, kind)                                                                              \
  int name(const char *from, const char *to) {                                                             \
    REAL(#name, int (*)(const char *, const char *));                                                      \
    if (IS_IDLE) return real(from, to);                                                                    \
    struct Step step;                                                                                      \
    faulty_begin_at(&step, kind, AT_FDCWD, from, AT_FDCWD, to);                                            \
    PERFORM(step, -1, real(from, to));                                                                     \
  }

TWO_PATHS(rename, FAULTY_RENAME)
TWO_PATHS(link, FAULTY_LINK)

int symlink(const char *target, const char *path) {
  REAL("symlink", int (*)(const char *, const char *));
  if (IS_IDLE) return real(target, path);
  struct Step step;
  faulty_begin_at(&step, FAULTY_LINK, AT_FDCWD, path, AT_FDCWD, NULL);
  PERFORM(step, -1, real(target, path));
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  REAL("renameat", int (*)(int, const char *, int, const char *));
  if (IS_IDLE) return real(from_directory, from, to_directory, to);
  struct Step step;
  faulty_begin_at(&step, FAULTY_RENAME, from_directory, from, to_directory, to);
  PERFORM(step, -1, real(from_directory, from, to_directory, to));
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  REAL("renameat2", int (*)(int, const char *, int, const char *, unsigned));
  if (IS_IDLE) return real(from_directory, from, to_directory, to, flags);
  struct Step step;
  faulty_begin_at(&step, FAULTY_RENAME, from_directory, from, to_directory, to);
  PERFORM(step, -1, real(from_directory, from, to_directory, to, flags));
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  REAL("linkat", int (*)(int, const char *, int, const char *, int));
  if (IS_IDLE) return real(from_directory, from, to_directory, to, flags);
  struct Step step;
  faulty_begin_at(&step, FAULTY_LINK, from_directory, from, to_directory, to);
  PERFORM(step, -1, real(from_directory, from, to_directory, to, flags));
}

#define ONE_PATH(name, kind)                                                                               \
  int name(const char *path) {                                                                             \
    REAL(#name, int (*)(const char *));                                                                    \
    if (IS_IDLE) return real(path);                                                                        \
    struct Step step;                                                                                      \
    faulty_begin_at(&step, kind, AT_FDCWD, path, AT_FDCWD, NULL);                                          \
    PERFORM(step, -1, real(path));                                                                         \
  }

ONE_PATH(unlink, FAULTY_UNLINK)
ONE_PATH(remove, FAULTY_UNLINK)
ONE_PATH(rmdir, FAULTY_RMDIR)

int unlinkat(int directory, const char *path, int flags) {
  REAL("unlinkat", int (*)(int, const char *, int));
  if (IS_IDLE) return real(directory, path, flags);
  struct Step step;
  faulty_begin_at(&step, flags & AT_REMOVEDIR ? FAULTY_RMDIR : FAULTY_UNLINK, directory, path, AT_FDCWD, NULL);
  PERFORM(step, -1, real(directory, path, flags));
}

int mkdir(const char *path, mode_t mode) {
  REAL("mkdir", int (*)(const char *, mode_t));
  if (IS_IDLE) return real(path, mode);
  struct Step step;
  faulty_begin_at(&step, FAULTY_MKDIR, AT_FDCWD, path, AT_FDCWD, NULL);
  PERFORM(step, -1, real(path, mode));
}

int mkdirat(int directory, const char *path, mode_t mode) {
  REAL("mkdirat", int (*)(int, const char *, mode_t));
  if (IS_IDLE) return real(directory, path, mode);
  struct Step step;
  faulty_begin_at(&step, FAULTY_MKDIR, directory, path, AT_FDCWD, NULL);
  PERFORM(step, -1, real(directory, path, mode));
}

int access(const char *path, int mode) {
  REAL("access", int (*)(const char *, int));
  if (IS_IDLE || mode == F_OK) return real(path, mode);
  struct Step step;
  int kind = mode & W_OK ? FAULTY_OPEN_TO_WRITE : FAULTY_OPEN_TO_READ;
  faulty_begin_at(&step, kind, AT_FDCWD, path, AT_FDCWD, NULL);
  PERFORM(step, -1, real(path, mode));
}
#endif
