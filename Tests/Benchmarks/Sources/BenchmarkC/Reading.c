#include "Driver.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  Run *run;
  Tally tally;
  sqlite3_int64 *keys;
  size_t count;
  char (*isbns)[14];
} Reading;

static void finish(Reading *reading) {
  reportTally(reading->run, &reading->tally);
}

/// Steps through the statement's rows, adding each to the tally.
static void tallyAll(Reading *reading, sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    tallyRow(&reading->tally, statement);
  }
  check(reading->run->database, code, sqlite3_sql(statement));
  sqlite3_reset(statement);
}

static void runFetchAll(void *context) {
  Reading *reading = context;
  sqlite3_stmt *statement = prepare(reading->run->database, "SELECT " BOOK_COLUMNS " FROM ZBOOK");
  tallyAll(reading, statement);
  sqlite3_finalize(statement);
}

void fetchAll(Run *run) {
  Reading reading = {.run = run};
  reportMilliseconds(run, benchmark_measure(runFetchAll, &reading));
  finish(&reading);
  reportBookChecksum(run, "1");
}

/// Collects the keys of all books that the statement selects, and finalizes it.
static void collectKeys(Reading *reading, sqlite3_stmt *statement) {
  size_t capacity = 1024;
  reading->keys = malloc(capacity * sizeof *reading->keys);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    if (reading->count == capacity) {
      capacity *= 2;
      reading->keys = realloc(reading->keys, capacity * sizeof *reading->keys);
    }
    reading->keys[reading->count++] = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
}

static void runFetchIdentifiers(void *context) {
  Reading *reading = context;
  // SQLite reads this from the index on ZWRITER, so the keys come in no useful order.
  collectKeys(reading, prepare(reading->run->database, "SELECT Z_PK FROM ZBOOK"));
}

/// Collects all keys in ascending order, for the operations that look books up by key.
static void collectKeysInOrder(Reading *reading) {
  collectKeys(reading, prepare(reading->run->database, "SELECT Z_PK FROM ZBOOK ORDER BY Z_PK"));
}

void fetchIdentifiers(Run *run) {
  Reading reading = {.run = run};
  reportMilliseconds(run, benchmark_measure(runFetchIdentifiers, &reading));
  report(run, "count", "%zu", reading.count);
}

static void runFetchOneByOne(void *context) {
  Reading *reading = context;
  sqlite3 *database = reading->run->database;
  execute(database, "BEGIN");
  sqlite3_stmt *statement = prepare(database, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE Z_PK = ?");
  for (size_t i = 0; i < reading->count; i++) {
    sqlite3_bind_int64(statement, 1, reading->keys[i]);
    check(database, sqlite3_step(statement), sqlite3_sql(statement));
    tallyRow(&reading->tally, statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  execute(database, "COMMIT");
}

void fetchOneByOne(Run *run) {
  Reading reading = {.run = run};
  collectKeysInOrder(&reading);
  reportMilliseconds(run, benchmark_measure(runFetchOneByOne, &reading));
  finish(&reading);
}

enum { batchSize = 100 };

static void runFetchInBatches(void *context) {
  Reading *reading = context;
  sqlite3 *database = reading->run->database;
  char sql[400 + 2 * batchSize];
  int end = sprintf(sql, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE Z_PK IN (?");
  for (int i = 1; i < batchSize; i++) {
    end += sprintf(sql + end, ",?");
  }
  sprintf(sql + end, ")");
  execute(database, "BEGIN");
  sqlite3_stmt *statement = prepare(database, sql);
  for (size_t first = 0; first < reading->count; first += batchSize) {
    sqlite3_clear_bindings(statement);
    for (size_t i = 0; i < batchSize && first + i < reading->count; i++) {
      sqlite3_bind_int64(statement, (int)i + 1, reading->keys[first + i]);
    }
    tallyAll(reading, statement);
  }
  sqlite3_finalize(statement);
  execute(database, "COMMIT");
}

void fetchInBatches(Run *run) {
  Reading reading = {.run = run};
  collectKeysInOrder(&reading);
  reportMilliseconds(run, benchmark_measure(runFetchInBatches, &reading));
  finish(&reading);
}

static void runFetchIndexed(void *context) {
  Reading *reading = context;
  sqlite3 *database = reading->run->database;
  sqlite3_stmt *statement = prepare(database, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZISBN = ?");
  for (size_t i = 0; i < reading->count; i++) {
    sqlite3_bind_text(statement, 1, reading->isbns[i], 13, SQLITE_STATIC);
    tallyAll(reading, statement);
  }
  sqlite3_finalize(statement);
}

void fetchIndexed(Run *run) {
  Reading reading = {.run = run, .count = benchmark_lookup_count(run->size)};
  reading.isbns = malloc(reading.count * sizeof *reading.isbns);
  for (size_t i = 0; i < reading.count; i++) {
    benchmark_isbn(benchmark_strided_index(i, run->size), reading.isbns[i]);
  }
  reportMilliseconds(run, benchmark_measure(runFetchIndexed, &reading));
  finish(&reading);
}

static void runFetchUnindexed(void *context) {
  Reading *reading = context;
  sqlite3 *database = reading->run->database;
  sqlite3_stmt *statement = prepare(database, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZPAGES = ?");
  for (size_t i = 0; i < benchmark_scan_count(); i++) {
    sqlite3_bind_int(statement, 1, benchmark_scan_pages(i));
    tallyAll(reading, statement);
  }
  sqlite3_finalize(statement);
}

void fetchUnindexed(Run *run) {
  Reading reading = {.run = run};
  reportMilliseconds(run, benchmark_measure(runFetchUnindexed, &reading));
  finish(&reading);
}
