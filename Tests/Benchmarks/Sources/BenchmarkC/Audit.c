#include "Driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_int64 oneInteger(Run *run, const char *sql) {
  sqlite3_stmt *statement = prepare(run->database, sql);
  check(run->database, sqlite3_step(statement), sql);
  sqlite3_int64 value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void hashText(uint64_t *hash, sqlite3_stmt *statement, int column) {
  const void *text = sqlite3_column_text(statement, column);
  *hash = benchmark_hash(*hash, text, (size_t)sqlite3_column_bytes(statement, column));
}

void reportBookChecksum(const Run *run, const char *condition) {
  char sql[400];
  snprintf(sql, sizeof sql, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE %s", condition);
  sqlite3_stmt *statement = prepare(run->database, sql);
  uint64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const char *texts[3];
    size_t lengths[3];
    for (int i = 0; i < 3; i++) {
      texts[i] = (const char *)sqlite3_column_text(statement, 3 + i);
      lengths[i] = (size_t)sqlite3_column_bytes(statement, 3 + i);
    }
    sum += benchmark_book_checksum(
      texts[0], lengths[0], texts[1], lengths[1], texts[2], lengths[2], sqlite3_column_int(statement, 6),
      sqlite3_column_double(statement, 7), sqlite3_column_double(statement, 8),
      sqlite3_column_int(statement, 9) != 0);
  }
  sqlite3_finalize(statement);
  report(run, "checksum", "%llx", (unsigned long long)sum);
}

/// The wrapping sum, over all books that have a writer, of a hash of ISBN and writer's name: which book
/// belongs to whom, whatever the keys are.
static uint64_t relationshipChecksum(Run *run) {
  sqlite3_stmt *statement = prepare(
    run->database, "SELECT b.ZISBN, a.ZNAME FROM ZBOOK b JOIN ZAUTHOR a ON a.Z_PK = b.ZWRITER");
  uint64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    uint64_t hash = BENCHMARK_HASH_START;
    hashText(&hash, statement, 0);
    hashText(&hash, statement, 1);
    sum += hash;
  }
  sqlite3_finalize(statement);
  return sum;
}

static void expectPersistentPragma(Run *run, const char *name, const char *expected) {
  char sql[80];
  snprintf(sql, sizeof sql, "PRAGMA %s", name);
  sqlite3_stmt *statement = prepare(run->database, sql);
  check(run->database, sqlite3_step(statement), sql);
  const char *value = (const char *)sqlite3_column_text(statement, 0);
  if (strcmp(value, expected) != 0) {
    fprintf(stderr, "BenchmarkC: %s: %s is %s, not %s\n", run->path, name, value, expected);
    exit(1);
  }
  sqlite3_finalize(statement);
}

/// Prints what a store holds, whoever wrote it, and fails on one that is not sound. It opens the file without
/// setting pragmas, so that those which the file keeps are the writer's.
void audit(Run *run) {
  check(NULL, sqlite3_open_v2(run->path, &run->database, SQLITE_OPEN_READWRITE, NULL), run->path);
  expectPersistentPragma(run, "page_size", "4096");
  expectPersistentPragma(run, "auto_vacuum", "2");
  expectPersistentPragma(run, "journal_mode", "wal");
  expectPersistentPragma(run, "integrity_check", "ok");

  report(run, "books", "%lld", (long long)oneInteger(run, "SELECT count(*) FROM ZBOOK"));
  report(run, "authors", "%lld", (long long)oneInteger(run, "SELECT count(*) FROM ZAUTHOR"));
  report(run, "versions", "%lld", (long long)oneInteger(run, "SELECT sum(Z_OPT) FROM ZBOOK"));
  reportBookChecksum(run, "1");
  report(run, "relationships", "%llx", (unsigned long long)relationshipChecksum(run));

  static const char keysAbove[] =
    "SELECT (SELECT coalesce(max(Z_PK), 0) FROM ZBOOK)"
    " > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book')"
    " OR (SELECT coalesce(max(Z_PK), 0) FROM ZAUTHOR)"
    " > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author')";
  if (oneInteger(run, keysAbove) != 0) {
    fprintf(stderr, "BenchmarkC: %s: Z_PRIMARYKEY.Z_MAX is below a key in use\n", run->path);
    exit(1);
  }
}
