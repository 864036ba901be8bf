#include "BenchmarkWorkload.h"

// Core Data's tables for shelves with ordered volumes, and tags in a many-to-many relationship to volumes.
static const char schema[] =
  "CREATE TABLE ZSHELF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER );"
  "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER );"
  "CREATE TABLE ZVOLUME ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER,"
  " ZSHELF INTEGER, Z_FOK_SHELF INTEGER, ZISBN VARCHAR, ZTITLE VARCHAR );"
  "CREATE TABLE Z_2VOLUMES ( Z_2TAGS INTEGER, Z_3VOLUMES INTEGER, PRIMARY KEY (Z_2TAGS, Z_3VOLUMES) );"
  "CREATE INDEX ZVOLUME_ZSHELF_INDEX ON ZVOLUME (ZSHELF);"
  "CREATE INDEX Z_2VOLUMES_Z_3VOLUMES_INDEX ON Z_2VOLUMES (Z_3VOLUMES, Z_2TAGS);"
  "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
  "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Shelf', 0, 0), (2, 'Tag', 0, 0), (3, 'Volume', 0, 0);";

const char *benchmark_relations_schema(void) {
  return schema;
}

size_t benchmark_tag_count(size_t volumeCount) {
  return volumeCount < 1000 ? volumeCount : 1000;
}

size_t benchmark_tag(size_t volume, size_t place, size_t tagCount) {
  // A step of less than a quarter of the tags: four places in a row are four tags.
  size_t step = 1 + volume * 31 % (tagCount / 4 - 1);
  return (volume * 7919 + place * step) % tagCount;
}

size_t benchmark_shelf_count(size_t volumeCount) {
  return volumeCount < 200 ? 2 : volumeCount / 100;
}

size_t benchmark_shelf(size_t volume, size_t shelfCount) {
  return volume % shelfCount;
}

size_t benchmark_next_shelf(size_t volume, size_t shelfCount) {
  // Never the shelf it stands on.
  return (volume + 1 + volume / shelfCount % (shelfCount - 1)) % shelfCount;
}

size_t benchmark_changed_volume(size_t step, size_t volumeCount) {
  return benchmark_strided_index(step, volumeCount);
}

size_t benchmark_changed_count(size_t volumeCount) {
  return volumeCount / 10;
}
