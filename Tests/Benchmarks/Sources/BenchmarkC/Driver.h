// The C driver: tight loops on sqlite3, as fast as a program that keeps nothing can be. Its figures are what
// all others are compared with.
#ifndef DRIVER_H
#define DRIVER_H

#include <sqlite3.h>

#include "BenchmarkWorkload.h"

/// One call: `BenchmarkC variant operation size database-path`.
typedef struct {
  const char *variant;
  const char *operation;
  size_t size;
  const char *path;
  sqlite3 *database;
  /// What an operation of Asking.c found.
  sqlite3_int64 count, sum;
} Run;

/// Sums over what was read while the clock ran: the Swift drivers add up the same things.
typedef struct {
  int64_t books, bytes, pages, inPrint;
  double price, published;
} Tally;

/// Opens the database, sets the pragmas that all sides set for the operation, and checks that they took.
sqlite3 *openDatabase(const Run *run);

/// Ends the process with SQLite's message unless `code` is SQLITE_OK, SQLITE_ROW or SQLITE_DONE.
void check(sqlite3 *database, int code, const char *doing);
void execute(sqlite3 *database, const char *sql);
sqlite3_stmt *prepare(sqlite3 *database, const char *sql);

/// The seven attributes of a book and its other columns, in one order for all statements that read books.
#define BOOK_COLUMNS \
  "Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZISBN, ZPAGES, ZPRICE, ZPUBLISHED, ZINPRINT, ZWRITER"

/// Adds the current row, which has BOOK_COLUMNS, to the tally.
void tallyRow(Tally *tally, sqlite3_stmt *statement);

void reportMilliseconds(const Run *run, double milliseconds);
void reportTally(const Run *run, const Tally *tally);
void report(const Run *run, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Prints the checksum of the books for which `condition` holds.
void reportBookChecksum(const Run *run, const char *condition);

// The operations; each times itself and prints.
void insertAll(Run *run);
void insertBooks(Run *run);
void updateChosen(Run *run);
void deleteChosen(Run *run);
void fetchAll(Run *run);
void fetchIdentifiers(Run *run);
void fetchOneByOne(Run *run);
void fetchInBatches(Run *run);
void fetchIndexed(Run *run);
void fetchUnindexed(Run *run);
void fetchAny(Run *run);
void traverse(Run *run);
void fetchMembers(Run *run);
void group(Run *run);
void writeBlocks(Run *run, size_t booksPerBlock);
void writeGroups(Run *run);
void writeBesideReader(Run *run);
void insertRelated(Run *run, bool tagging, bool shelving);
void retag(Run *run);
void moveVolumes(Run *run);
void reorderShelves(Run *run);
void migrate(Run *run);
void audit(Run *run);
void auditMigrated(Run *run);
void auditTables(Run *run);

#endif
