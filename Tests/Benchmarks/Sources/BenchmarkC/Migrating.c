// Changes of the tables as one writes them by hand, for books that stay where they are.
#include "Driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *operation;
  const char *sql;
} Change;

static const Change changes[] = {
  {"migratedefault", "ALTER TABLE ZBOOK ADD COLUMN ZRATING INTEGER; UPDATE ZBOOK SET ZRATING = 3;"},
  {"migratedrop", "ALTER TABLE ZBOOK DROP COLUMN ZPRICE; ALTER TABLE ZBOOK RENAME COLUMN ZTITLE TO ZNAME;"},
  {"migrateentity",
   "CREATE TABLE ZARCHIVE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSHELF VARCHAR );"
   "UPDATE ZAUTHOR SET Z_ENT = 2; UPDATE ZBOOK SET Z_ENT = 3;"},
  {"migratemany",
   "CREATE TABLE Z_1BOOKS ( Z_1WRITERS INTEGER, Z_2BOOKS INTEGER, PRIMARY KEY (Z_1WRITERS, Z_2BOOKS) );"
   "INSERT INTO Z_1BOOKS SELECT ZWRITER, Z_PK FROM ZBOOK WHERE ZWRITER IS NOT NULL ORDER BY ZWRITER, Z_PK;"
   "CREATE INDEX Z_1BOOKS_Z_2BOOKS_INDEX ON Z_1BOOKS (Z_2BOOKS, Z_1WRITERS);"
   "DROP INDEX ZBOOK_ZWRITER_INDEX; ALTER TABLE ZBOOK DROP COLUMN ZWRITER;"},
};

static void runChange(void *context) {
  Run *run = context;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    if (strcmp(changes[i].operation, run->operation) != 0) continue;
    execute(run->database, "BEGIN EXCLUSIVE");
    execute(run->database, changes[i].sql);
    execute(run->database, "COMMIT");
    return;
  }
  fprintf(stderr, "BenchmarkC has no operation %s\n", run->operation);
  exit(64);
}

void migrate(Run *run) {
  reportMilliseconds(run, benchmark_measure(runChange, run));
}

/// What the file has after a migration: the columns of the books, how many there are, and sums over what stays.
void auditMigrated(Run *run) {
  static const char *const questions[] = {
    "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('ZBOOK') ORDER BY name)",
    "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' AND name NOT IN"
    " ('Z_METADATA', 'Z_MODELCACHE') ORDER BY name)",
    "SELECT count(*) || ' ' || sum(ZPAGES) || ' ' || total(Z_PK) || ' ' || min(Z_ENT) || ' ' || max(Z_ENT) FROM ZBOOK",
  };
  static const char *const names[] = {"columns", "tables", "rows"};
  for (int i = 0; i < 3; i++) {
    sqlite3_stmt *statement = prepare(run->database, questions[i]);
    check(run->database, sqlite3_step(statement), questions[i]);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    report(run, names[i], "%s", text ? text : "");
    sqlite3_finalize(statement);
  }
}
