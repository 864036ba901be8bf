// The same work as `PostgreSQLBenchmark times`, in C with libpq and nothing else: the floor.
//
//   LibpqBenchmark CONNECTION SIZE
//
// Prints a line for each operation: its name, wall and processor time in milliseconds, and what shows that it was done.
#include <arpa/inet.h>
#include <endian.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static PGconn *connection;
static double wall, processor;

static double wall_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double processor_now(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void begin(void) {
  wall = wall_now();
  processor = processor_now();
}

static void report(const char *name, long result) {
  printf("%s\t%.1f\t%.1f\t%ld\n", name, wall_now() - wall, processor_now() - processor, result);
}

static PGresult *checked(PGresult *result) {
  ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_IN) return result;
  fprintf(stderr, "LibpqBenchmark: %s", PQerrorMessage(connection));
  exit(1);
}

static void run(const char *sql) { PQclear(checked(PQexec(connection, sql))); }

// Rows in COPY's binary form.
static char *buffer;
static size_t used, room;

static void put(const void *bytes, size_t count) {
  if (used + count > room) {
    room = (used + count) * 2;
    buffer = realloc(buffer, room);
    if (!buffer) exit(1);
  }
  memcpy(buffer + used, bytes, count);
  used += count;
}

static void put16(int16_t value) {
  uint16_t big = htons(value);
  put(&big, 2);
}

static void put32(int32_t value) {
  uint32_t big = htonl(value);
  put(&big, 4);
}

static void put64(uint64_t value) {
  uint64_t big = htobe64(value);
  put32(8);
  put(&big, 8);
}

static void put_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  put64(bits);
}

static void put_text(const char *text) {
  put32(strlen(text));
  put(text, strlen(text));
}

static void insert(long size) {
  begin();
  run("BEGIN");
  PQclear(checked(PQexec(connection, "COPY book FROM STDIN (FORMAT binary)")));
  put("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  for (long number = 0; number < size; number++) {
    char text[64];
    put16(10);
    put64(number + 1);
    put64(1);
    put64(1);
    snprintf(text, sizeof text, "A book of some thirty bytes %ld", number);
    put_text(text);
    snprintf(text, sizeof text, "978%010ld", (number * 7919) % size);
    put_text(text);
    put64(100 + number % 900);
    put_double(number % 100 + 0.5);
    put_double(number * 86400.0);
    put64(number % 3 == 0);
    put32(-1);
    if (used > 1 << 20) {
      if (PQputCopyData(connection, buffer, used) != 1) exit(1);
      used = 0;
    }
  }
  put16(-1);
  if (PQputCopyData(connection, buffer, used) != 1 || PQputCopyEnd(connection, NULL) != 1) exit(1);
  PQclear(checked(PQgetResult(connection)));
  while (PQgetResult(connection)) {}
  run("COMMIT");
  report("insert", size);
}

static int64_t integer(const PGresult *result, int row, int column) {
  uint64_t big;
  memcpy(&big, PQgetvalue(result, row, column), 8);
  return be64toh(big);
}

static void fetch(void) {
  begin();
  PGresult *result = checked(PQexecParams(
      connection, "SELECT z_ent, z_pk, z_opt, title, isbn, pages, price, published, inprint, writer FROM book ORDER BY isbn",
      0, NULL, NULL, NULL, NULL, 1));
  long sum = 0;
  for (int row = 0; row < PQntuples(result); row++) {
    uint64_t bits = integer(result, row, 6);
    double price;
    memcpy(&price, &bits, 8);
    sum += PQgetlength(result, row, 3) + integer(result, row, 5) + (long)price + integer(result, row, 8)
        + PQgetlength(result, row, 4);
  }
  PQclear(result);
  report("fetch", sum);
}

static void update(void) {
  PQclear(checked(PQprepare(connection, "u", "UPDATE book SET pages = $2, z_opt = z_opt + 1 WHERE z_pk = $1 AND z_opt = $3",
                            3, NULL)));
  begin();
  for (long number = 1; number <= 1000; number++) {
    char key[24], pages[24];
    snprintf(key, sizeof key, "%ld", number);
    snprintf(pages, sizeof pages, "%ld", number % 500);
    const char *values[3] = {key, pages, "1"};
    PQclear(checked(PQexecPrepared(connection, "u", 3, values, NULL, NULL, 0)));
  }
  report("update", 1000);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fputs("LibpqBenchmark CONNECTION SIZE\n", stderr);
    return 64;
  }
  connection = PQconnectdb(arguments[1]);
  if (PQstatus(connection) != CONNECTION_OK) {
    fputs(PQerrorMessage(connection), stderr);
    return 1;
  }
  run("CREATE TABLE book (z_pk bigint PRIMARY KEY, z_ent bigint NOT NULL, z_opt bigint NOT NULL, title text COLLATE \"C\", "
      "isbn text COLLATE \"C\", pages bigint, price double precision, published double precision, inprint bigint, "
      "writer bigint); CREATE INDEX ON book (writer)");
  insert(atol(arguments[2]));
  for (int round = 0; round < 5; round++) fetch();
  update();
  run("DROP TABLE book");
  PQfinish(connection);
  return 0;
}
