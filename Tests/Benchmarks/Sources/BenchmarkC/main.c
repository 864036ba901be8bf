#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Driver.h"

void check(sqlite3 *database, int code, const char *doing) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  fprintf(stderr, "BenchmarkC: %s: %s\n", doing, database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  exit(1);
}

void execute(sqlite3 *database, const char *sql) {
  check(database, sqlite3_exec(database, sql, NULL, NULL, NULL), sql);
}

sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  check(database, sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), sql);
  return statement;
}

sqlite3 *openDatabase(const Run *run) {
  const char *path = run->path;
  sqlite3 *database;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  check(NULL, sqlite3_open_v2(path, &database, flags, NULL), path);
  // The reader of writebeside opens its connection while the other one writes.
  check(database, sqlite3_busy_timeout(database, 10000), path);
  size_t count;
  const BenchmarkPragma *pragmas = benchmark_pragmas(run->operation, &count);
  char sql[80];
  for (size_t i = 0; i < count; i++) {
    snprintf(sql, sizeof sql, "PRAGMA %s = %s", pragmas[i].name, pragmas[i].value);
    execute(database, sql);
  }
  for (size_t i = 0; i < count; i++) {
    snprintf(sql, sizeof sql, "PRAGMA %s", pragmas[i].name);
    sqlite3_stmt *statement = prepare(database, sql);
    check(database, sqlite3_step(statement), sql);
    const char *value = (const char *)sqlite3_column_text(statement, 0);
    if (strcmp(value, pragmas[i].readBack) != 0) {
      fprintf(stderr, "BenchmarkC: %s: %s is %s, not %s\n", path, sql, value, pragmas[i].readBack);
      exit(1);
    }
    sqlite3_finalize(statement);
  }
  return database;
}

void tallyRow(Tally *tally, sqlite3_stmt *statement) {
  // The texts' first bytes are touched too, as anything that keeps them would.
  int bytes = 0;
  for (int column = 3; column <= 5; column++) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    bytes += text && text[0] ? sqlite3_column_bytes(statement, column) : 0;
  }
  tally->books += sqlite3_column_int64(statement, 0) > 0;
  tally->bytes += bytes;
  tally->pages += sqlite3_column_int(statement, 6);
  tally->price += sqlite3_column_double(statement, 7);
  tally->published += sqlite3_column_double(statement, 8);
  tally->inPrint += sqlite3_column_int(statement, 9);
}

void report(const Run *run, const char *name, const char *format, ...) {
  va_list values;
  va_start(values, format);
  printf("%s\t%s%s%s\t", run->variant, run->operation, name ? "." : "", name ? name : "");
  vprintf(format, values);
  printf("\n");
  va_end(values);
}

void reportMilliseconds(const Run *run, double milliseconds) {
  report(run, NULL, "%.4f", milliseconds);
}

void reportTally(const Run *run, const Tally *tally) {
  report(
    run, "tally", "%lld/%lld/%lld/%lld/%lld/%lld", (long long)tally->books, (long long)tally->bytes,
    (long long)tally->pages, (long long)(tally->price + 0.5), (long long)(tally->published + 0.5),
    (long long)tally->inPrint);
}

int main(int count, char **arguments) {
  Run run = {0};
  if (count != 5 || (run.size = strtoul(arguments[3], NULL, 10)) == 0) {
    fprintf(stderr, "usage: %s variant operation size database-path\n", arguments[0]);
    return 64;
  }
  run.variant = arguments[1];
  run.operation = arguments[2];
  run.path = arguments[4];
  const char *operation = run.operation;
  if (strcmp(operation, "audit") != 0 && strcmp(operation, "audittables") != 0)
    run.database = openDatabase(&run);

  if (strcmp(operation, "insert") == 0) insertAll(&run);
  else if (strncmp(operation, "batchinsert", 11) == 0) insertBooks(&run);
  else if (strcmp(operation, "fetch") == 0) fetchAll(&run);
  else if (strcmp(operation, "faults") == 0) fetchIdentifiers(&run);
  else if (strcmp(operation, "fire") == 0) fetchOneByOne(&run);
  else if (strcmp(operation, "batch") == 0) fetchInBatches(&run);
  else if (strcmp(operation, "update") == 0) updateChosen(&run);
  else if (strcmp(operation, "delete") == 0) deleteChosen(&run);
  else if (strcmp(operation, "indexed") == 0) fetchIndexed(&run);
  else if (strcmp(operation, "scan") == 0) fetchUnindexed(&run);
  else if (strcmp(operation, "any") == 0) fetchAny(&run);
  else if (strcmp(operation, "group") == 0) group(&run);
  else if (strcmp(operation, "traverse") == 0) traverse(&run);
  else if (strcmp(operation, "prefetch") == 0) fetchMembers(&run);
  else if (strcmp(operation, "write1") == 0) writeBlocks(&run, 1);
  else if (strcmp(operation, "write10") == 0) writeBlocks(&run, 10);
  else if (strcmp(operation, "write100") == 0) writeBlocks(&run, 100);
  else if (strcmp(operation, "writefull") == 0) writeBlocks(&run, 1);
  else if (strcmp(operation, "writegroup") == 0) writeGroups(&run);
  else if (strcmp(operation, "writebeside") == 0) writeBesideReader(&run);
  else if (strcmp(operation, "relate") == 0) insertRelated(&run, true, true);
  else if (strcmp(operation, "tag") == 0) insertRelated(&run, true, false);
  else if (strcmp(operation, "shelve") == 0) insertRelated(&run, false, true);
  else if (strcmp(operation, "retag") == 0 || strcmp(operation, "retagback") == 0) retag(&run);
  else if (strcmp(operation, "move") == 0) moveVolumes(&run);
  else if (strcmp(operation, "reorder") == 0) reorderShelves(&run);
  else if (strncmp(operation, "migrate", 7) == 0) migrate(&run);
  else if (strcmp(operation, "auditmigrated") == 0) auditMigrated(&run);
  else if (strcmp(operation, "audit") == 0) audit(&run);
  else if (strcmp(operation, "audittables") == 0) auditTables(&run);
  else if (strcmp(operation, "addindex") == 0) execute(run.database, benchmark_isbn_index());
  else {
    fprintf(stderr, "BenchmarkC has no operation %s\n", operation);
    return 64;
  }
  check(run.database, sqlite3_close(run.database), "close");
  return 0;
}
