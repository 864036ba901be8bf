#include "Driver.h"

#include <stdlib.h>

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

typedef struct {
  Run *run;
  sqlite3_int64 *writers;
  /// By the writer's key: how long the name is, -1 before it was read.
  int *lengths;
} Traversal;

static void runTraverse(void *context) {
  Traversal *traversal = context;
  Run *run = traversal->run;
  execute(run->database, "BEGIN");
  sqlite3_stmt *statement = prepare(run->database, "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR WHERE Z_PK = ?");
  for (sqlite3_int64 i = 0; i < run->count; i++) {
    sqlite3_int64 writer = traversal->writers[i];
    if (traversal->lengths[writer] < 0) {
      sqlite3_bind_int64(statement, 1, writer);
      check(run->database, sqlite3_step(statement), sqlite3_sql(statement));
      traversal->lengths[writer] = sqlite3_column_text(statement, 3)[0] ? sqlite3_column_bytes(statement, 3) : 0;
      sqlite3_reset(statement);
    }
    run->sum += traversal->lengths[writer];
  }
  sqlite3_finalize(statement);
  execute(run->database, "COMMIT");
}

/// The name of each book's writer, in the order of the books; each writer is looked up once.
void traverse(Run *run) {
  Traversal traversal = {run, malloc((run->size + 1) * sizeof(sqlite3_int64)), NULL};
  sqlite3_int64 greatest = 0;
  sqlite3_stmt *statement = prepare(run->database, "SELECT ZWRITER FROM ZBOOK ORDER BY Z_PK");
  while (sqlite3_step(statement) == SQLITE_ROW && run->count < (sqlite3_int64)run->size) {
    sqlite3_int64 writer = sqlite3_column_int64(statement, 0);
    traversal.writers[run->count++] = writer;
    if (writer > greatest) greatest = writer;
  }
  sqlite3_finalize(statement);
  traversal.lengths = malloc((size_t)(greatest + 1) * sizeof(int));
  for (sqlite3_int64 i = 0; i <= greatest; i++) traversal.lengths[i] = -1;
  reportMilliseconds(run, benchmark_measure(runTraverse, &traversal));
  report(run, "count", "%lld", (long long)run->count);
  report(run, "sum", "%lld", (long long)run->sum);
}

typedef struct {
  Run *run;
  Tally tally;
} Members;

static void runFetchMembers(void *context) {
  Members *members = context;
  Run *run = members->run;
  sqlite3_stmt *authors = prepare(run->database, "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR");
  while (sqlite3_step(authors) == SQLITE_ROW) {
    run->count += sqlite3_column_int64(authors, 0) > 0;
    run->sum += sqlite3_column_text(authors, 3)[0] ? sqlite3_column_bytes(authors, 3) : 0;
  }
  sqlite3_finalize(authors);
  sqlite3_stmt *books = prepare(run->database, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZWRITER IS NOT NULL");
  while (sqlite3_step(books) == SQLITE_ROW) tallyRow(&members->tally, books);
  sqlite3_finalize(books);
}

/// All authors, and all books of each: two statements.
void fetchMembers(Run *run) {
  Members members = {.run = run};
  reportMilliseconds(run, benchmark_measure(runFetchMembers, &members));
  report(run, "count", "%lld", (long long)run->count);
  report(run, "sum", "%lld", (long long)run->sum);
  reportTally(run, &members.tally);
}
