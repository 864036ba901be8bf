#include "BenchmarkWorkload.h"

#include <stdio.h>
#include <stdlib.h>

/// Writes a book. No text of the library has a character that JSON wants escaped. A price has two digits after the
/// point and a date is a multiple of a quarter of a second, so that both are read back as they are.
static void writeBook(FILE *file, const BenchmarkBook *book) {
  fprintf(
    file,
    "{\"title\": \"%s\", \"author\": \"%s\", \"isbn\": \"%s\", \"pages\": %d, \"price\": %.2f,"
    " \"published\": %.2f, \"inPrint\": %s}",
    book->title, book->author, book->isbn, book->pages, book->price, book->published,
    book->inPrint ? "true" : "false");
}

bool benchmark_write_catalog(const char *path, size_t bookCount) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  BenchmarkLibrary library = benchmark_library(bookCount);

  // Each author's books as a list: the first one's index and, for each book, the next one's; -1 at the end. They are
  // kept, like the library: memory given back here would hide how far an import makes the process grow.
  int32_t *first = malloc(library.authorCount * sizeof *first), *next = malloc(bookCount * sizeof *next);
  for (size_t i = 0; i < library.authorCount; i++) first[i] = -1;
  for (size_t i = bookCount; i-- > 0;) {
    int32_t writer = library.books[i].writer;
    next[i] = first[writer];
    first[writer] = (int32_t)i;
  }
  for (size_t i = 0; i < library.authorCount; i++) {
    fprintf(file, "%s{\"name\": \"%s\", \"books\": [", i == 0 ? "[\n" : ",\n", library.authors[i].name);
    for (int32_t book = first[i]; book >= 0; book = next[book]) {
      fputs(book == first[i] ? "\n  " : ",\n  ", file);
      writeBook(file, &library.books[book]);
    }
    fputs("]}", file);
  }
  fputs("\n]\n", file);
  bool isWritten = !ferror(file);
  return fclose(file) == 0 && isWritten;
}
