#include "Driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Keys of the ordered relationship: the first member's, and the distance between neighbours.
enum { firstOrder = 2048, orderStep = 1024 };

static const char insertPair[] = "INSERT INTO Z_2VOLUMES (Z_2TAGS, Z_3VOLUMES) VALUES (?, ?)";

typedef struct {
  Run *run;
  BenchmarkLibrary library;
  size_t tagCount, shelfCount;
  bool tagging, shelving;
  /// Versions by number; a row's key is its number and one.
  int *volumeVersions, *tagVersions, *shelfVersions;
} Relating;

static void runOnce(sqlite3 *database, sqlite3_stmt *statement) {
  check(database, sqlite3_step(statement), sqlite3_sql(statement));
  sqlite3_reset(statement);
}

static void expectOneRow(Relating *relating, const char *what, size_t number) {
  if (sqlite3_changes(relating->run->database) == 1) return;
  fprintf(stderr, "BenchmarkC: %s: %s %zu is not as it was read\n", relating->run->operation, what, number);
  exit(1);
}

static void setGreatestKey(Relating *relating, int entity, size_t key) {
  char sql[120];
  snprintf(
    sql, sizeof sql, "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, %zu) WHERE Z_ENT = %d", key, entity);
  execute(relating->run->database, sql);
}

static void insertNumbered(Relating *relating, const char *sql, size_t count) {
  sqlite3 *database = relating->run->database;
  sqlite3_stmt *statement = prepare(database, sql);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)i + 1);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
    runOnce(database, statement);
  }
  sqlite3_finalize(statement);
}

static void insertVolumes(Relating *relating) {
  sqlite3 *database = relating->run->database;
  sqlite3_stmt *statement = prepare(
    database,
    "INSERT INTO ZVOLUME (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZSHELF, Z_FOK_SHELF, ZISBN, ZTITLE)"
    " VALUES (?, 3, 1, ?, ?, ?, ?, ?)");
  for (size_t i = 0; i < relating->library.bookCount; i++) {
    const BenchmarkBook *book = &relating->library.books[i];
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)i + 1);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
    if (relating->shelving) {
      sqlite3_bind_int64(statement, 3, (sqlite3_int64)benchmark_shelf(i, relating->shelfCount) + 1);
      sqlite3_bind_int64(
        statement, 4, firstOrder + orderStep * (sqlite3_int64)(i / relating->shelfCount));
    }
    sqlite3_bind_text(statement, 5, book->isbn, book->isbnLength, SQLITE_STATIC);
    sqlite3_bind_text(statement, 6, book->title, book->titleLength, SQLITE_STATIC);
    runOnce(database, statement);
  }
  sqlite3_finalize(statement);
}

static void insertPairs(Relating *relating) {
  sqlite3 *database = relating->run->database;
  sqlite3_stmt *statement = prepare(database, insertPair);
  for (size_t i = 0; i < relating->library.bookCount; i++) {
    for (size_t place = 0; place < BENCHMARK_TAGS_PER_VOLUME; place++) {
      size_t tag = benchmark_tag(i, place, relating->tagCount);
      sqlite3_bind_int64(statement, 1, (sqlite3_int64)tag + 1);
      sqlite3_bind_int64(statement, 2, (sqlite3_int64)i + 1);
      runOnce(database, statement);
    }
  }
  sqlite3_finalize(statement);
}

static void runInsert(void *context) {
  Relating *relating = context;
  execute(relating->run->database, "BEGIN IMMEDIATE");
  if (relating->shelving) {
    insertNumbered(
      relating, "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNUMBER) VALUES (?, 1, 1, ?)", relating->shelfCount);
    setGreatestKey(relating, 1, relating->shelfCount);
  }
  if (relating->tagging) {
    insertNumbered(
      relating, "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNUMBER) VALUES (?, 2, 1, ?)", relating->tagCount);
    setGreatestKey(relating, 2, relating->tagCount);
  }
  insertVolumes(relating);
  setGreatestKey(relating, 3, relating->library.bookCount);
  if (relating->tagging) insertPairs(relating);
  execute(relating->run->database, "COMMIT");
}

void insertRelated(Run *run, bool tagging, bool shelving) {
  execute(run->database, benchmark_relations_schema());
  Relating relating = {
    run, benchmark_library(run->size), benchmark_tag_count(run->size), benchmark_shelf_count(run->size),
    tagging, shelving, NULL, NULL, NULL};
  reportMilliseconds(run, benchmark_measure(runInsert, &relating));
}

static int *versions(Run *run, const char *sql, size_t count) {
  int *versions = calloc(count, sizeof *versions);
  sqlite3_stmt *statement = prepare(run->database, sql);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    size_t number = (size_t)sqlite3_column_int64(statement, 0);
    if (number < count) versions[number] = sqlite3_column_int(statement, 1);
  }
  sqlite3_finalize(statement);
  return versions;
}

static Relating readVersions(Run *run) {
  Relating relating = {
    run, {0}, benchmark_tag_count(run->size), benchmark_shelf_count(run->size), true, true, NULL, NULL, NULL};
  relating.volumeVersions = versions(run, "SELECT ZNUMBER, Z_OPT FROM ZVOLUME", run->size);
  relating.tagVersions = versions(run, "SELECT ZNUMBER, Z_OPT FROM ZTAG", relating.tagCount);
  relating.shelfVersions = versions(run, "SELECT ZNUMBER, Z_OPT FROM ZSHELF", relating.shelfCount);
  return relating;
}

/// Gives the rows for which `isChanged` holds, or one row, the next version.
static void raiseVersion(Relating *relating, sqlite3_stmt *statement, size_t number, int version) {
  sqlite3_bind_int(statement, 1, version + 1);
  sqlite3_bind_int64(statement, 2, (sqlite3_int64)number + 1);
  sqlite3_bind_int(statement, 3, version);
  runOnce(relating->run->database, statement);
  expectOneRow(relating, "row", number);
}

static void raiseVersions(
  Relating *relating, const char *sql, const bool *isChanged, const int *versions, size_t count) {
  sqlite3_stmt *statement = prepare(relating->run->database, sql);
  for (size_t i = 0; i < count; i++) {
    if (isChanged[i]) raiseVersion(relating, statement, i, versions[i]);
  }
  sqlite3_finalize(statement);
}

static void runPairs(Relating *relating, const char *sql, size_t (*place)(size_t volume), bool *isChanged) {
  sqlite3 *database = relating->run->database;
  sqlite3_stmt *statement = prepare(database, sql);
  for (size_t step = 0; step < benchmark_changed_count(relating->run->size); step++) {
    size_t volume = benchmark_changed_volume(step, relating->run->size);
    size_t tag = benchmark_tag(volume, place(volume), relating->tagCount);
    isChanged[tag] = true;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)tag + 1);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)volume + 1);
    runOnce(database, statement);
    expectOneRow(relating, "tag of volume", volume);
  }
  sqlite3_finalize(statement);
}

static size_t oldPlace(size_t volume) {
  return volume % BENCHMARK_TAGS_PER_VOLUME;
}

static size_t newPlace(size_t volume) {
  (void)volume;
  return BENCHMARK_TAGS_PER_VOLUME;
}

static void runRetag(void *context) {
  Relating *relating = context;
  sqlite3 *database = relating->run->database;
  execute(database, "BEGIN IMMEDIATE");
  bool *isChanged = calloc(relating->tagCount, sizeof *isChanged);
  runPairs(relating, "DELETE FROM Z_2VOLUMES WHERE Z_2TAGS = ? AND Z_3VOLUMES = ?", oldPlace, isChanged);
  sqlite3_stmt *statement = prepare(database, "UPDATE ZVOLUME SET Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
  for (size_t step = 0; step < benchmark_changed_count(relating->run->size); step++) {
    size_t volume = benchmark_changed_volume(step, relating->run->size);
    raiseVersion(relating, statement, volume, relating->volumeVersions[volume]);
  }
  sqlite3_finalize(statement);
  runPairs(relating, insertPair, newPlace, isChanged);
  raiseVersions(
    relating, "UPDATE ZTAG SET Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", isChanged, relating->tagVersions,
    relating->tagCount);
  free(isChanged);
  execute(database, "COMMIT");
}

void retag(Run *run) {
  Relating relating = readVersions(run);
  reportMilliseconds(run, benchmark_measure(runRetag, &relating));
}

/// The greatest order key of each shelf, also where its volume leaves.
static void readLastOrders(Relating *relating, const bool *isChanged, sqlite3_int64 *last) {
  sqlite3_stmt *statement = prepare(relating->run->database, "SELECT max(Z_FOK_SHELF) FROM ZVOLUME WHERE ZSHELF = ?");
  for (size_t shelf = 0; shelf < relating->shelfCount; shelf++) {
    last[shelf] = firstOrder - orderStep;
    if (!isChanged[shelf]) continue;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)shelf + 1);
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
      last[shelf] = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

static void runMove(void *context) {
  Relating *relating = context;
  sqlite3 *database = relating->run->database;
  size_t size = relating->run->size, count = benchmark_changed_count(size);
  execute(database, "BEGIN IMMEDIATE");
  bool *isChanged = calloc(relating->shelfCount, sizeof *isChanged);
  sqlite3_int64 *last = calloc(relating->shelfCount, sizeof *last);
  for (size_t step = 0; step < count; step++) {
    size_t volume = benchmark_changed_volume(step, size);
    isChanged[benchmark_shelf(volume, relating->shelfCount)] = true;
    isChanged[benchmark_next_shelf(volume, relating->shelfCount)] = true;
  }
  readLastOrders(relating, isChanged, last);
  sqlite3_stmt *statement = prepare(
    database, "UPDATE ZVOLUME SET ZSHELF = ?, Z_FOK_SHELF = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
  for (size_t step = 0; step < count; step++) {
    size_t volume = benchmark_changed_volume(step, size);
    size_t shelf = benchmark_next_shelf(volume, relating->shelfCount);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)shelf + 1);
    sqlite3_bind_int64(statement, 2, last[shelf] += orderStep);
    sqlite3_bind_int(statement, 3, relating->volumeVersions[volume] + 1);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)volume + 1);
    sqlite3_bind_int(statement, 5, relating->volumeVersions[volume]);
    runOnce(database, statement);
    expectOneRow(relating, "volume", volume);
  }
  sqlite3_finalize(statement);
  raiseVersions(
    relating, "UPDATE ZSHELF SET Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", isChanged, relating->shelfVersions,
    relating->shelfCount);
  free(isChanged);
  free(last);
  execute(database, "COMMIT");
}

void moveVolumes(Run *run) {
  Relating relating = readVersions(run);
  reportMilliseconds(run, benchmark_measure(runMove, &relating));
}

static void setOrder(Relating *relating, sqlite3_stmt *update, sqlite3_int64 volume, sqlite3_int64 order) {
  sqlite3_bind_int64(update, 1, order);
  sqlite3_bind_int64(update, 2, volume);
  runOnce(relating->run->database, update);
  expectOneRow(relating, "volume", (size_t)volume - 1);
}

/// Members that come before the one that keeps its key share the room below that.
static void runReorder(void *context) {
  Relating *relating = context;
  sqlite3 *database = relating->run->database;
  execute(database, "BEGIN IMMEDIATE");
  bool *isChanged = calloc(relating->shelfCount, sizeof *isChanged);
  sqlite3_int64 *volumes = calloc(relating->run->size, sizeof *volumes);
  sqlite3_stmt *select =
    prepare(database, "SELECT Z_PK, Z_FOK_SHELF FROM ZVOLUME WHERE ZSHELF = ? ORDER BY Z_FOK_SHELF");
  sqlite3_stmt *update = prepare(database, "UPDATE ZVOLUME SET Z_FOK_SHELF = ? WHERE Z_PK = ?");
  for (size_t shelf = 0; shelf < relating->shelfCount; shelf += 2) {
    isChanged[shelf] = true;
    size_t count = 0;
    sqlite3_int64 first = 0;
    sqlite3_bind_int64(select, 1, (sqlite3_int64)shelf + 1);
    while (sqlite3_step(select) == SQLITE_ROW) {
      if (count == 0) first = sqlite3_column_int64(select, 1);
      volumes[count++] = sqlite3_column_int64(select, 0);
    }
    sqlite3_reset(select);
    if (shelf % 4 == 0) {
      setOrder(relating, update, volumes[count - 1], first / 2);
    } else {
      sqlite3_int64 step = first / (sqlite3_int64)count;
      for (size_t i = 1; i < count; i++) {
        setOrder(relating, update, volumes[count - i], step * (sqlite3_int64)i);
      }
    }
  }
  sqlite3_finalize(select);
  sqlite3_finalize(update);
  raiseVersions(
    relating, "UPDATE ZSHELF SET Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", isChanged, relating->shelfVersions,
    relating->shelfCount);
  free(isChanged);
  free(volumes);
  execute(database, "COMMIT");
}

void reorderShelves(Run *run) {
  Relating relating = readVersions(run);
  reportMilliseconds(run, benchmark_measure(runReorder, &relating));
}
