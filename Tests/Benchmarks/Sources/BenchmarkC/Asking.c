#include "Driver.h"

// Questions whose answer SQLite has to work out: what hand-written SQL costs.

static void runFetchAny(void *context) {
  Run *run = context;
  sqlite3_stmt *statement = prepare(
    run->database,
    "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR WHERE Z_PK IN (SELECT ZWRITER FROM ZBOOK WHERE ZPAGES = ?)");
  sqlite3_int64 count = 0, bytes = 0;
  for (size_t i = 0; i < benchmark_scan_count(); i++) {
    sqlite3_bind_int(statement, 1, benchmark_scan_pages(i));
    while (sqlite3_step(statement) == SQLITE_ROW) {
      count += sqlite3_column_int64(statement, 0) > 0;
      bytes += sqlite3_column_text(statement, 3)[0] ? sqlite3_column_bytes(statement, 3) : 0;
    }
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  run->count = count;
  run->sum = bytes;
}

void fetchAny(Run *run) {
  reportMilliseconds(run, benchmark_measure(runFetchAny, run));
  report(run, "count", "%lld", (long long)run->count);
  report(run, "sum", "%lld", (long long)run->sum);
}

static void runGroup(void *context) {
  Run *run = context;
  sqlite3_stmt *statement = prepare(
    run->database,
    "SELECT ZWRITER, COUNT(Z_PK), SUM(ZPAGES), MAX(ZPRICE) FROM ZBOOK GROUP BY ZWRITER");
  sqlite3_int64 count = 0, pages = 0;
  double price = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    count += sqlite3_column_int64(statement, 1);
    pages += sqlite3_column_int64(statement, 2);
    price += sqlite3_column_double(statement, 3);
  }
  sqlite3_finalize(statement);
  run->count = count;
  run->sum = pages + (sqlite3_int64)(price + 0.5);
}

void group(Run *run) {
  reportMilliseconds(run, benchmark_measure(runGroup, run));
  report(run, "count", "%lld", (long long)run->count);
  report(run, "sum", "%lld", (long long)run->sum);
}
