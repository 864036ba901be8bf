// SQLite's allocator, with a check before each allocation whether it is to fail.
#include "FaultyFiles.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_mem_methods real;
static atomic_long left = -1;
static atomic_long times;
static atomic_long failures;

// Whether this allocation is to fail.
static int fails(void) {
  if (atomic_load(&times) == 0) return 0;
  if (atomic_fetch_sub(&left, 1) > 0) return 0;
  if (atomic_load(&times) > 0) atomic_fetch_sub(&times, 1);
  atomic_fetch_add(&failures, 1);
  return 1;
}

static void *allocate(int size) { return fails() ? 0 : real.xMalloc(size); }

static void *reallocate(void *old, int size) { return fails() ? 0 : real.xRealloc(old, size); }

int faulty_take_memory(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods own = real;
  own.xMalloc = allocate;
  own.xRealloc = reallocate;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &own);
  if (code != SQLITE_OK) return code;
  // Otherwise SQLite would take small allocations from its own reserve, past these functions.
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

void faulty_fail_memory(long skipped, long count) {
  atomic_store(&failures, 0);
  atomic_store(&left, skipped);
  atomic_store(&times, count);
}

long faulty_mend_memory(void) {
  atomic_store(&times, 0);
  return atomic_load(&failures);
}

size_t faulty_heap_bytes(void) {
#if __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
#else
  struct mallinfo info = mallinfo();
#endif
  return (size_t)info.uordblks + (size_t)info.hblkhd;
}
