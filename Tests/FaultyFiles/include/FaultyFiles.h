#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stddef.h>

/// Files that fail on request: counts and records the operations that change files below a folder, and ends the
/// process, or lets an operation fail, where a test wants it.
///
/// Linked into an executable, this target's `open`, `write`, `fsync` and so on stand before the C library's, for all
/// libraries of the process. What it doesn't see: changes of mapped memory, and files that the C library opens by
/// itself (`fopen`). All functions may be called from any thread.

/// Operations, as bits of a mask.
enum {
  FAULTY_CREATE = 1 << 0,
  FAULTY_WRITE = 1 << 1,
  FAULTY_SYNC = 1 << 2,
  FAULTY_TRUNCATE = 1 << 3,
  FAULTY_RENAME = 1 << 4,
  FAULTY_LINK = 1 << 5,
  FAULTY_UNLINK = 1 << 6,
  FAULTY_MKDIR = 1 << 7,
  FAULTY_RMDIR = 1 << 8,
  /// Opening an existing file to read or to write it, or asking whether that is allowed. Not counted.
  FAULTY_OPEN_TO_READ = 1 << 9,
  FAULTY_OPEN_TO_WRITE = 1 << 10,
  /// Reading a file, and locking one. Not counted.
  FAULTY_READ = 1 << 11,
  FAULTY_LOCK = 1 << 12,
  /// In a recording only: what a test has marked.
  FAULTY_MARK = 1 << 13,
};

/// When the process is killed: before the operation, after it, or after the first half of a write.
enum { FAULTY_BEFORE = 0, FAULTY_AFTER = 1, FAULTY_MIDDLE = 2 };

/// 0 under a sanitizer, which replaces the same functions.
int faulty_is_available(void);

/// Begins to watch a folder, and forgets what it knew of it. The path must have no symbolic link in it.
///
/// Returns the watch's number, or -1 if there are too many.
int faulty_watch(const char *folder);
void faulty_unwatch(int watch);

/// How many operations were counted.
long faulty_count(int watch);

/// Ends the process by SIGKILL at the operation of this number, counted from 1.
///
/// Before that it writes a line "kill <moment> <operation> <name>" to the descriptor `report`.
void faulty_kill(int watch, long operation, int moment, int report);

/// Lets operations of `mask` fail with `error`: the first `skipped` of them succeed, the next `times` fail; all that
/// follow if `times` is negative. Only those on files whose name ends in `suffix`; NULL for all.
void faulty_fail(int watch, int mask, long skipped, long times, int error, const char *suffix);

/// Lets no operation fail any more.
void faulty_mend(int watch);

/// Begins a trace of the operations, one line each: "write S.sqlite 4096@8192". Names are relative to the folder.
void faulty_trace(int watch);

/// Returns the lines since the trace began or was last taken. The caller frees them.
char *faulty_take_trace(int watch);

/// How many operations have failed since `faulty_fail`.
long faulty_failures(int watch);

/// Begins to record the operations that succeed, with their bytes: one after the other, a `FaultyRecord`, then the
/// name, the second name and, of a write, the bytes. Names are relative to the folder; its own is ".".
void faulty_record(int watch);

/// Puts a mark of this number into the recording.
void faulty_mark(int watch, long number);

/// Ends the recording, and returns it. The caller frees it.
unsigned char *faulty_take_record(int watch, size_t *length);

struct FaultyRecord {
  int kind;
  int name_length;
  int second_length;
  int padding;
  /// The offset at which a write begins.
  long offset;
  /// The number of bytes of a write, the new length of a truncation, or the number of a mark.
  long size;
};

/// Lets SQLite's allocations fail: `skipped` of them succeed, the next `times` fail; all that follow if `times` is
/// negative. Only in a program that has called `faulty_take_memory` before it used SQLite.
int faulty_take_memory(void);
void faulty_fail_memory(long skipped, long times);
/// Lets no allocation fail any more, and returns how many have failed.
long faulty_mend_memory(void);

/// Writes a line to a descriptor and syncs it, without the functions that are watched. Returns 0 if that succeeded.
int faulty_append(int descriptor, const char *line);

/// How many bytes of the heap of the C library are in use, by all threads.
size_t faulty_heap_bytes(void);

#endif
