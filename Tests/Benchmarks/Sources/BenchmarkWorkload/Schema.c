#include "BenchmarkWorkload.h"

#include <string.h>

// Core Data's order of columns: integers (attributes by name, then foreign keys), dates and floats, texts.
static const char schema[] =
  "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );"
  "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZINPRINT INTEGER,"
  " ZPAGES INTEGER, ZWRITER INTEGER, ZPRICE FLOAT, ZPUBLISHED TIMESTAMP, ZAUTHOR VARCHAR, ZISBN VARCHAR, ZTITLE VARCHAR );"
  "CREATE INDEX ZBOOK_ZWRITER_INDEX ON ZBOOK (ZWRITER);"
  "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
  "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 0), (2, 'Book', 0, 0);";

// The order matters: auto_vacuum and page_size only take effect before the first page is written, which
// turning the write-ahead log on does.
#define PRAGMAS(synchronous, readBack) { \
  {"page_size", "4096", "4096"}, \
  {"auto_vacuum", "2", "2"}, \
  {"journal_mode", "WAL", "wal"}, \
  {"synchronous", synchronous, readBack}, \
  {"cache_size", "-2000", "-2000"}, \
  {"wal_autocheckpoint", "1000", "1000"}, \
  {"foreign_keys", "0", "0"}, \
}
static const BenchmarkPragma pragmas[] = PRAGMAS("NORMAL", "1");
static const BenchmarkPragma durablePragmas[] = PRAGMAS("FULL", "2");

const char *benchmark_schema(void) {
  return schema;
}

const char *benchmark_isbn_index(void) {
  return "CREATE INDEX IF NOT EXISTS Z_Book_isbn ON ZBOOK (ZISBN COLLATE BINARY ASC)";
}

bool benchmark_is_durable(const char *operation) {
  return strcmp(operation, "writefull") == 0 || strcmp(operation, "writegroup") == 0;
}

const BenchmarkPragma *benchmark_pragmas(const char *operation, size_t *count) {
  *count = sizeof pragmas / sizeof pragmas[0];
  return benchmark_is_durable(operation) ? durablePragmas : pragmas;
}
