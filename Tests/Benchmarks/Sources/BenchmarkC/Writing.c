#include "Driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char insertAuthor[] = "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 1, 1, ?)";
static const char insertBook[] =
  "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZISBN, ZPAGES, ZPRICE, ZPUBLISHED, ZINPRINT,"
  " ZWRITER) VALUES (?, 2, 1, ?, ?, ?, ?, ?, ?, ?, ?)";

static void stepOnce(sqlite3 *database, sqlite3_stmt *statement) {
  check(database, sqlite3_step(statement), sqlite3_sql(statement));
  sqlite3_reset(statement);
}

/// Binds a book's attributes and writer, from parameter 2 on, and its key, parameter 1; a writer of 0 is
/// null.
static void insertOneBook(
  sqlite3 *database, sqlite3_stmt *statement, const BenchmarkBook *book, sqlite3_int64 key,
  sqlite3_int64 writer) {
  sqlite3_bind_int64(statement, 1, key);
  sqlite3_bind_text(statement, 2, book->title, book->titleLength, SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, book->author, book->authorLength, SQLITE_STATIC);
  sqlite3_bind_text(statement, 4, book->isbn, book->isbnLength, SQLITE_STATIC);
  sqlite3_bind_int(statement, 5, book->pages);
  sqlite3_bind_double(statement, 6, book->price);
  sqlite3_bind_double(statement, 7, book->published);
  sqlite3_bind_int(statement, 8, book->inPrint);
  if (writer > 0) sqlite3_bind_int64(statement, 9, writer);
  else sqlite3_bind_null(statement, 9);
  stepOnce(database, statement);
}

static sqlite3_int64 greatestKey(sqlite3 *database) {
  sqlite3_stmt *statement = prepare(database, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 2");
  check(database, sqlite3_step(statement), "read Z_PRIMARYKEY");
  sqlite3_int64 key = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return key;
}

static void setGreatestKeys(sqlite3 *database, sqlite3_int64 authors, sqlite3_int64 books) {
  char sql[200];
  snprintf(
    sql, sizeof sql,
    "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, %lld) WHERE Z_ENT = 1;"
    "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, %lld) WHERE Z_ENT = 2",
    (long long)authors, (long long)books);
  execute(database, sql);
}

typedef struct {
  Run *run;
  BenchmarkLibrary library;
} Insertion;

static void runInsertAll(void *context) {
  Insertion *insertion = context;
  sqlite3 *database = insertion->run->database;
  BenchmarkLibrary library = insertion->library;
  execute(database, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(database, insertAuthor);
  for (size_t i = 0; i < library.authorCount; i++) {
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)i + 1);
    sqlite3_bind_text(
      statement, 2, library.authors[i].name, library.authors[i].nameLength, SQLITE_STATIC);
    stepOnce(database, statement);
  }
  sqlite3_finalize(statement);
  statement = prepare(database, insertBook);
  for (size_t i = 0; i < library.bookCount; i++) {
    const BenchmarkBook *book = &library.books[i];
    insertOneBook(database, statement, book, (sqlite3_int64)i + 1, book->writer + 1);
  }
  sqlite3_finalize(statement);
  setGreatestKeys(database, (sqlite3_int64)library.authorCount, (sqlite3_int64)library.bookCount);
  execute(database, "COMMIT");
}

void insertAll(Run *run) {
  execute(run->database, benchmark_schema());
  Insertion insertion = {run, benchmark_library(run->size)};
  reportMilliseconds(run, benchmark_measure(runInsertAll, &insertion));
}

static void runInsertBooks(void *context) {
  Insertion *insertion = context;
  sqlite3 *database = insertion->run->database;
  execute(database, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(database, insertBook);
  for (size_t i = 0; i < insertion->library.bookCount; i++) {
    insertOneBook(database, statement, &insertion->library.books[i], (sqlite3_int64)i + 1, 0);
  }
  sqlite3_finalize(statement);
  setGreatestKeys(database, 0, (sqlite3_int64)insertion->library.bookCount);
  execute(database, "COMMIT");
}

void insertBooks(Run *run) {
  execute(run->database, benchmark_schema());
  Insertion insertion = {run, benchmark_library(run->size)};
  reportMilliseconds(run, benchmark_measure(runInsertBooks, &insertion));
}

/// A book that `update` or `delete` chose, as read before the clock starts.
typedef struct {
  sqlite3_int64 key, writer;
  int version, pages;
} Chosen;

typedef struct {
  Run *run;
  Chosen *books;
  size_t count;
} Choice;

static Choice choose(Run *run) {
  Choice choice = {run, malloc((run->size / 10 + 1) * sizeof(Chosen)), 0};
  sqlite3_stmt *statement = prepare(
    run->database, "SELECT Z_PK, Z_OPT, ZPAGES, ZWRITER FROM ZBOOK WHERE substr(ZISBN, 13) = ? ORDER BY Z_PK");
  char digit = BENCHMARK_CHOSEN_DIGIT;
  sqlite3_bind_text(statement, 1, &digit, 1, SQLITE_STATIC);
  while (sqlite3_step(statement) == SQLITE_ROW && choice.count <= run->size / 10) {
    choice.books[choice.count++] = (Chosen){
      .key = sqlite3_column_int64(statement, 0), .version = sqlite3_column_int(statement, 1),
      .pages = sqlite3_column_int(statement, 2), .writer = sqlite3_column_int64(statement, 3)};
  }
  sqlite3_finalize(statement);
  return choice;
}

static void expectOneChange(Run *run, const Chosen *book) {
  if (sqlite3_changes(run->database) == 1) return;
  fprintf(stderr, "BenchmarkC: %s: book %lld has another version\n", run->operation, (long long)book->key);
  exit(1);
}

static void runUpdate(void *context) {
  Choice *choice = context;
  sqlite3 *database = choice->run->database;
  execute(database, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement =
    prepare(database, "UPDATE ZBOOK SET ZPAGES = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
  for (size_t i = 0; i < choice->count; i++) {
    const Chosen *book = &choice->books[i];
    sqlite3_bind_int(statement, 1, book->pages + 1);
    sqlite3_bind_int(statement, 2, book->version + 1);
    sqlite3_bind_int64(statement, 3, book->key);
    sqlite3_bind_int(statement, 4, book->version);
    stepOnce(database, statement);
    expectOneChange(choice->run, book);
  }
  sqlite3_finalize(statement);
  execute(database, "COMMIT");
}

void updateChosen(Run *run) {
  Choice choice = choose(run);
  reportMilliseconds(run, benchmark_measure(runUpdate, &choice));
  report(run, "count", "%zu", choice.count);
}

static int compareWriters(const void *a, const void *b) {
  sqlite3_int64 first = ((const Chosen *)a)->writer, second = ((const Chosen *)b)->writer;
  return (first > second) - (first < second);
}

/// What a delete rule and the inverse relationship demand besides: each writer of the books is read, and gets its next
/// version.
static void raiseVersionsOfWriters(Choice *choice) {
  sqlite3 *database = choice->run->database;
  Chosen *books = malloc((choice->count + 1) * sizeof(Chosen));
  memcpy(books, choice->books, choice->count * sizeof(Chosen));
  qsort(books, choice->count, sizeof(Chosen), compareWriters);
  sqlite3_stmt *read = prepare(database, "SELECT Z_ENT, Z_OPT, ZNAME FROM ZAUTHOR WHERE Z_PK = ?");
  sqlite3_stmt *update = prepare(database, "UPDATE ZAUTHOR SET Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
  for (size_t i = 0; i < choice->count; i++) {
    if (books[i].writer == 0 || (i > 0 && books[i].writer == books[i - 1].writer)) continue;
    sqlite3_bind_int64(read, 1, books[i].writer);
    if (sqlite3_step(read) != SQLITE_ROW) check(database, SQLITE_CORRUPT, "a book's writer");
    int version = sqlite3_column_int(read, 1);
    sqlite3_reset(read);
    sqlite3_bind_int(update, 1, version + 1);
    sqlite3_bind_int64(update, 2, books[i].writer);
    sqlite3_bind_int(update, 3, version);
    stepOnce(database, update);
  }
  sqlite3_finalize(read);
  sqlite3_finalize(update);
  free(books);
}

static void runDelete(void *context) {
  Choice *choice = context;
  sqlite3 *database = choice->run->database;
  execute(database, "BEGIN IMMEDIATE");
  if (strcmp(choice->run->variant, "rules") == 0) raiseVersionsOfWriters(choice);
  sqlite3_stmt *statement = prepare(database, "DELETE FROM ZBOOK WHERE Z_PK = ? AND Z_OPT = ?");
  for (size_t i = 0; i < choice->count; i++) {
    const Chosen *book = &choice->books[i];
    sqlite3_bind_int64(statement, 1, book->key);
    sqlite3_bind_int(statement, 2, book->version);
    stepOnce(database, statement);
    expectOneChange(choice->run, book);
  }
  sqlite3_finalize(statement);
  execute(database, "COMMIT");
}

void deleteChosen(Run *run) {
  Choice choice = choose(run);
  reportMilliseconds(run, benchmark_measure(runDelete, &choice));
  report(run, "count", "%zu", choice.count);
}

typedef struct {
  Run *run;
  BenchmarkLibrary library;
  sqlite3_int64 firstKey;
  size_t perBlock;
} Blocks;

static void runBlocks(void *context) {
  Blocks *blocks = context;
  sqlite3 *database = blocks->run->database;
  sqlite3_stmt *begin = prepare(database, "BEGIN IMMEDIATE"), *commit = prepare(database, "COMMIT");
  sqlite3_stmt *statement = prepare(database, insertBook);
  for (size_t first = 0; first < blocks->library.bookCount; first += blocks->perBlock) {
    stepOnce(database, begin);
    for (size_t i = first; i < first + blocks->perBlock && i < blocks->library.bookCount; i++) {
      const BenchmarkBook *book = &blocks->library.books[i];
      insertOneBook(database, statement, book, blocks->firstKey + (sqlite3_int64)i, 0);
    }
    stepOnce(database, commit);
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(statement);
}

static void runGroups(void *context) {
  Blocks *blocks = context;
  sqlite3 *database = blocks->run->database;
  sqlite3_stmt *begin = prepare(database, "BEGIN IMMEDIATE"), *commit = prepare(database, "COMMIT");
  sqlite3_stmt *savepoint = prepare(database, "SAVEPOINT block"), *release = prepare(database, "RELEASE block");
  sqlite3_stmt *statement = prepare(database, insertBook);
  for (size_t first = 0; first < blocks->library.bookCount; first += blocks->perBlock) {
    stepOnce(database, begin);
    for (size_t i = first; i < first + blocks->perBlock && i < blocks->library.bookCount; i++) {
      // Without a savepoint of its own a block that fails would take the others with it.
      stepOnce(database, savepoint);
      insertOneBook(database, statement, &blocks->library.books[i], blocks->firstKey + (sqlite3_int64)i, 0);
      stepOnce(database, release);
    }
    stepOnce(database, commit);
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(savepoint);
  sqlite3_finalize(release);
  sqlite3_finalize(statement);
}

static void writeBy(Run *run, void (*body)(void *), size_t perTransaction) {
  execute(run->database, benchmark_schema());
  BenchmarkLibrary library = benchmark_library(benchmark_written_count(run->size));
  Blocks blocks = {run, library, greatestKey(run->database) + 1, perTransaction};
  reportMilliseconds(run, benchmark_measure(body, &blocks));
  setGreatestKeys(run->database, 0, blocks.firstKey + (sqlite3_int64)library.bookCount - 1);
}

/// So many books a transaction.
void writeBlocks(Run *run, size_t perBlock) {
  writeBy(run, runBlocks, perBlock);
}

/// One book in each block, and BENCHMARK_GROUP_SIZE blocks in each transaction, as with group commit.
void writeGroups(Run *run) {
  writeBy(run, runGroups, BENCHMARK_GROUP_SIZE);
}

static atomic_bool isWritten;

/// Reads a book, again and again, by a connection of its own, until all are written.
static void *readUntilWritten(void *context) {
  sqlite3 *database = openDatabase(context);
  sqlite3_stmt *statement = prepare(database, "SELECT " BOOK_COLUMNS " FROM ZBOOK LIMIT 1");
  Tally tally = {0};
  while (!atomic_load(&isWritten)) {
    if (sqlite3_step(statement) == SQLITE_ROW) tallyRow(&tally, statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  check(database, sqlite3_close(database), "close");
  return NULL;
}

/// A book a transaction, while another thread reads.
void writeBesideReader(Run *run) {
  execute(run->database, benchmark_schema());
  BenchmarkLibrary library = benchmark_library(benchmark_written_count(run->size));
  Blocks blocks = {run, library, greatestKey(run->database) + 1, 1};
  pthread_t reader;
  if (pthread_create(&reader, NULL, readUntilWritten, run) != 0) exit(1);
  reportMilliseconds(run, benchmark_measure(runBlocks, &blocks));
  atomic_store(&isWritten, true);
  pthread_join(reader, NULL);
  setGreatestKeys(run->database, 0, blocks.firstKey + (sqlite3_int64)library.bookCount - 1);
}
