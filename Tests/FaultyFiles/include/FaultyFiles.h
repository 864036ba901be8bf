#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stddef.h>

/// Files that fail on request: numbers the operations that change files below a folder, writes them down, and ends
/// the process or lets an operation fail where a test wants it.
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
  /// Opening an existing file to read it, to write it, and asking whether one may. Not numbered.
  FAULTY_OPEN_TO_READ = 1 << 9,
  FAULTY_OPEN_TO_WRITE = 1 << 10,
};

/// Where the end comes: before the operation, after it, or after the first half of a write.
enum { FAULTY_BEFORE = 0, FAULTY_AFTER = 1, FAULTY_MIDDLE = 2 };

/// 0 where a sanitizer has these functions for itself.
int faulty_is_available(void);

/// Begins to watch a folder, and forgets what it knew of it. The path must have no symbolic link in it.
///
/// Returns the watch's number, or -1 if there are too many.
int faulty_watch(const char *folder);
void faulty_unwatch(int watch);

/// How many operations there were.
long faulty_count(int watch);

/// Ends the process by SIGKILL at the operation of this number, counted from 1.
///
/// `report`: a descriptor that a line "kill <moment> <operation> <name>" is written to before.
void faulty_kill(int watch, long operation, int moment, int report);

/// Lets operations of `mask` fail with `error`: the first `skipped` of them go well, the next `times` fail, all that
/// follow if `times` is negative. Only those on files whose name ends in `suffix`; NULL for all.
void faulty_fail(int watch, int mask, long skipped, long times, int error, const char *suffix);

/// Lets everything go well again.
void faulty_mend(int watch);

/// Begins to write down operations, one line each: "write S.sqlite 4096@8192". Names are relative to the folder.
void faulty_trace(int watch);

/// Takes what was written down; the caller frees it.
char *faulty_take_trace(int watch);

/// Writes a line to a descriptor and syncs it, past the functions that are watched. 0 if all went well.
int faulty_append(int descriptor, const char *line);

#endif
