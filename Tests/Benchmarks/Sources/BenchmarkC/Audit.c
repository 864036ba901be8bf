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

/// Opens a file without setting pragmas, so that those which the file keeps are the writer's, and fails on one
/// that is not sound.
static void openForAudit(Run *run) {
  check(NULL, sqlite3_open_v2(run->path, &run->database, SQLITE_OPEN_READWRITE, NULL), run->path);
  expectPersistentPragma(run, "page_size", "4096");
  expectPersistentPragma(run, "auto_vacuum", "2");
  expectPersistentPragma(run, "journal_mode", "wal");
  expectPersistentPragma(run, "integrity_check", "ok");
}

/// Prints what a store of books holds. The variant that wrote it makes no difference.
void audit(Run *run) {
  openForAudit(run);
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

/// The wrapping sum of a hash of each row of a table: all columns, keys and versions and order keys included.
static uint64_t tableChecksum(Run *run, const char *table, long long *count) {
  char sql[200];
  snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
  sqlite3_stmt *statement = prepare(run->database, sql);
  uint64_t sum = 0;
  *count = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    uint64_t hash = BENCHMARK_HASH_START;
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
      int type = sqlite3_column_type(statement, column);
      hash = benchmark_hash(hash, &type, sizeof type);
      hashText(&hash, statement, column);
    }
    sum += hash;
    *count += 1;
  }
  sqlite3_finalize(statement);
  return sum;
}

/// Prints the columns and the rows of each table that holds objects or links, and the columns of its indexes. The
/// files of all variants must agree in all of it.
void auditTables(Run *run) {
  openForAudit(run);
  static const char tables[] =
    "SELECT t.name, (SELECT group_concat(name || ' ' || type || ' ' || pk, ', ') FROM pragma_table_info(t.name)),"
    " (SELECT group_concat(columns, '; ') FROM (SELECT (SELECT group_concat(name, ', ') FROM"
    "  pragma_index_info(i.name)) AS columns FROM pragma_index_list(t.name) i ORDER BY 1))"
    " FROM sqlite_schema t WHERE t.type = 'table' AND t.name NOT IN ('Z_METADATA', 'Z_MODELCACHE') ORDER BY 1";
  sqlite3_stmt *statement = prepare(run->database, tables);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const char *table = (const char *)sqlite3_column_text(statement, 0);
    const char *indexes = (const char *)sqlite3_column_text(statement, 2);
    long long count;
    uint64_t sum = tableChecksum(run, table, &count);
    report(
      run, table, "%lld rows, %llx; columns %s; indexes %s", count, (unsigned long long)sum,
      (const char *)sqlite3_column_text(statement, 1), indexes ? indexes : "none");
  }
  sqlite3_finalize(statement);
}
