// What every driver shares, so that they do the same work on the same bytes: a deterministic library of
// books, the tables as Core Data lays them out, a clock, memory counters and the checksum of a book.
#ifndef BENCHMARK_WORKLOAD_H
#define BENCHMARK_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An author; `name` is 15 to 22 bytes of UTF-8, NUL-terminated.
typedef struct {
  const char *name;
  int32_t nameLength;
} BenchmarkAuthor;

/// A book. Lengths are in bytes; `published` is in seconds since 2001-01-01 00:00 UTC; `writer` is the index
/// of an author of the same library, whose name `author` repeats.
typedef struct {
  const char *title;
  const char *author;
  const char *isbn;
  int32_t titleLength;
  int32_t authorLength;
  int32_t isbnLength;
  int32_t pages;
  double price;
  double published;
  int32_t writer;
  bool inPrint;
} BenchmarkBook;

typedef struct {
  const BenchmarkBook *books;
  const BenchmarkAuthor *authors;
  size_t bookCount;
  size_t authorCount;
} BenchmarkLibrary;

/// The library of `bookCount` books and a tenth as many authors (at least one). The same count gives the same
/// bytes in every process. It lives until the process ends.
BenchmarkLibrary benchmark_library(size_t bookCount);

/// Writes the ISBN of the book at `index` into `isbn`: 13 digits and a NUL. ISBNs are unique; those of every
/// tenth book end in BENCHMARK_CHOSEN_DIGIT, and `update` and `delete` work on these.
void benchmark_isbn(size_t index, char isbn[14]);

#define BENCHMARK_CHOSEN_DIGIT '7'

/// The index of the book that the `step`th of a series of look-ups asks for: strided, so that neighbours in
/// the series are not neighbours on disk.
size_t benchmark_strided_index(size_t step, size_t bookCount);

/// How many look-ups `indexed` makes, how many scans `scan` makes, and what page count the `step`th one asks
/// for.
size_t benchmark_lookup_count(size_t bookCount);
size_t benchmark_scan_count(void);
int32_t benchmark_scan_pages(size_t step);

/// How many books the serialised writer writes: a tenth, for a transaction a book takes its time.
size_t benchmark_written_count(size_t bookCount);

/// The checksum of one book's seven attributes. The checksum of a set of books is the wrapping sum of theirs,
/// so that it does not depend on their order.
uint64_t benchmark_book_checksum(
  const char *title, size_t titleLength, const char *author, size_t authorLength,
  const char *isbn, size_t isbnLength, int32_t pages, double price, double published, bool inPrint);

/// FNV-1a of some bytes, continuing from `hash`; start with BENCHMARK_HASH_START.
uint64_t benchmark_hash(uint64_t hash, const void *bytes, size_t count);

#define BENCHMARK_HASH_START 0xcbf29ce484222325ull

/// The statements that make the tables, as Core Data writes them for this model; separated by semicolons.
const char *benchmark_schema(void);

/// The statement that adds an index on ISBN, as Core Data writes it.
const char *benchmark_isbn_index(void);

/// How many blocks wait for the writer with group commit, and at most go into one commit.
#define BENCHMARK_GROUP_SIZE 64

/// Writes the library of `bookCount` books into a file, as JSON: an array with an object for each author, which has the
/// objects of the author's books. Returns false where the file can't be written.
bool benchmark_write_catalog(const char *path, size_t bookCount);

// Volumes on shelves and with tags, for what relationships cost.

/// The statements that make the tables, as Core Data writes them for this model; separated by semicolons.
const char *benchmark_relations_schema(void);

/// A thousand tags, or one a volume where there are fewer volumes: at a million a tag has 3000 volumes.
size_t benchmark_tag_count(size_t volumeCount);

/// The tag that a volume has in one of its places, 0 to 2; place 3 gives the one that it gets later.
size_t benchmark_tag(size_t volume, size_t place, size_t tagCount);
#define BENCHMARK_TAGS_PER_VOLUME 3

/// A shelf for a hundred volumes, at least two; which one a volume is put on, and to which one it is moved.
size_t benchmark_shelf_count(size_t volumeCount);
size_t benchmark_shelf(size_t volume, size_t shelfCount);
size_t benchmark_next_shelf(size_t volume, size_t shelfCount);

/// How many volumes `move` and `retag` change, a tenth, and which is the `step`th: strided.
size_t benchmark_changed_count(size_t volumeCount);
size_t benchmark_changed_volume(size_t step, size_t volumeCount);

/// A pragma that all sides set alike, and the value that reading it back gives.
typedef struct {
  const char *name;
  const char *value;
  const char *readBack;
} BenchmarkPragma;

/// Whether a commit of an operation is on the disk before it returns: synchronous is FULL, else NORMAL.
bool benchmark_is_durable(const char *operation);

/// The pragmas of an operation, in the order in which to run them on a new connection.
const BenchmarkPragma *benchmark_pragmas(const char *operation, size_t *count);

/// Runs `body` once and returns how long it took, in milliseconds: of wall time, or, where the environment has
/// BENCHMARK_PROCESSOR_TIME, of processor time on all threads. It is a function of its own
/// so that an instruction counter can be switched on at its entry and off at its exit.
double benchmark_measure(void (*body)(void *context), void *context);

/// The process's greatest resident set so far, in bytes (what `time -v` reports).
size_t benchmark_peak_resident_bytes(void);

/// Bytes that malloc has handed out and not got back.
size_t benchmark_heap_bytes(void);

#endif
