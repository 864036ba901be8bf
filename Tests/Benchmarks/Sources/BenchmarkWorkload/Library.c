#include "BenchmarkWorkload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two words and a number make a title of about 30 bytes; one title in ten takes a word that is not ASCII.
static const char *const plainWords[] = {
  "The Silent Harbour of", "Letters from the Old", "A Short History of", "Beyond the Northern",
  "Notes on a Forgotten", "The Gardener and the", "Maps of an Inland", "Winter Light over the",
};
static const char *const accentedWords[] = {
  "Les mémoires d’été à", "Über die Brücken nach", "El año de la niñez en", "Žluťoučký kůň a",
};
static const char *const places[] = {
  "Orchard", "Lagoon", "Citadel", "Meadow", "Lighthouse", "Quarry", "Archive", "Estuary",
};
// First and last names are chosen so that any pair has 15 to 22 bytes with the blank between them.
static const char *const firstNames[] = {
  "Margaret", "Benjamin", "Theodora", "Augustin", "Cordelia", "Leopold", "Clarissa", "Isabella",
};
static const char *const lastNames[] = {
  "Ashworth", "Lindqvist", "Montgomery", "Fitzgerald", "Abernathy", "Castellanos", "Hawkins", "Oyelaran-Beck",
};

static uint64_t nextRandom(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

static const char *copyText(const char *text, int32_t *length) {
  size_t count = strlen(text);
  char *copy = malloc(count + 1);
  memcpy(copy, text, count + 1);
  *length = (int32_t)count;
  return copy;
}

void benchmark_isbn(size_t index, char isbn[14]) {
  // The multiplier ends in 1 and has no factor in common with 10^10, so numbers do not repeat and every tenth
  // one ends in the same digit.
  uint64_t number = ((uint64_t)index * 7654321ull + 1234567ull) % 10000000000ull;
  snprintf(isbn, 14, "978%010llu", (unsigned long long)number);
}

BenchmarkLibrary benchmark_library(size_t bookCount) {
  uint64_t state = 0x9e3779b97f4a7c15ull;
  size_t authorCount = bookCount / 10 > 0 ? bookCount / 10 : 1;
  BenchmarkAuthor *authors = calloc(authorCount, sizeof *authors);
  BenchmarkBook *books = calloc(bookCount, sizeof *books);
  char text[96];

  for (size_t i = 0; i < authorCount; i++) {
    uint64_t r = nextRandom(&state);
    snprintf(text, sizeof text, "%s %s", firstNames[r >> 8 & 7], lastNames[r >> 16 & 7]);
    authors[i].name = copyText(text, &authors[i].nameLength);
  }
  for (size_t i = 0; i < bookCount; i++) {
    BenchmarkBook *book = &books[i];
    uint64_t r = nextRandom(&state);
    const char *words = r % 10 == 0 ? accentedWords[r >> 8 & 3] : plainWords[r >> 8 & 7];
    snprintf(text, sizeof text, "%s %s %u", words, places[r >> 16 & 7], (unsigned)(r >> 24 & 0xff));
    book->title = copyText(text, &book->titleLength);
    benchmark_isbn(i, text);
    book->isbn = copyText(text, &book->isbnLength);
    r = nextRandom(&state);
    book->writer = (int32_t)(r % authorCount);
    book->author = authors[book->writer].name;
    book->authorLength = authors[book->writer].nameLength;
    r = nextRandom(&state);
    book->pages = 50 + (int32_t)(r % 1000);
    book->price = (double)(199 + (r >> 16) % 9800) / 100.0;
    book->published = (double)((r >> 32) % 2800000000u) / 4.0;  // quarters of a second are exact in binary
    book->inPrint = (r >> 12 & 3) != 0;
  }
  return (BenchmarkLibrary){books, authors, bookCount, authorCount};
}

size_t benchmark_strided_index(size_t step, size_t bookCount) {
  return step * 7919 % bookCount;
}

size_t benchmark_lookup_count(size_t bookCount) {
  return bookCount < 10000 ? bookCount : 10000;
}

size_t benchmark_scan_count(void) {
  return 10;
}

int32_t benchmark_scan_pages(size_t step) {
  return 100 + 90 * (int32_t)step;
}

size_t benchmark_written_count(size_t bookCount) {
  return bookCount / 10 > 0 ? bookCount / 10 : 1;
}

uint64_t benchmark_hash(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ byte[i]) * 0x100000001b3ull;
  }
  return hash;
}

uint64_t benchmark_book_checksum(
  const char *title, size_t titleLength, const char *author, size_t authorLength,
  const char *isbn, size_t isbnLength, int32_t pages, double price, double published, bool inPrint) {
  unsigned char end = 0xff, flag = inPrint;  // 0xff occurs in no UTF-8 text: it keeps the texts apart
  uint64_t hash = BENCHMARK_HASH_START;
  hash = benchmark_hash(hash, title, titleLength);
  hash = benchmark_hash(hash, &end, 1);
  hash = benchmark_hash(hash, author, authorLength);
  hash = benchmark_hash(hash, &end, 1);
  hash = benchmark_hash(hash, isbn, isbnLength);
  hash = benchmark_hash(hash, &end, 1);
  hash = benchmark_hash(hash, &pages, sizeof pages);
  hash = benchmark_hash(hash, &price, sizeof price);
  hash = benchmark_hash(hash, &published, sizeof published);
  return benchmark_hash(hash, &flag, 1);
}
