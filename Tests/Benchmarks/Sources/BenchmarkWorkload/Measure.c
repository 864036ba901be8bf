#include "BenchmarkWorkload.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

__attribute__((noinline)) double benchmark_measure(void (*body)(void *context), void *context) {
  clockid_t clock = getenv("BENCHMARK_PROCESSOR_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  struct timespec start, end;
  clock_gettime(clock, &start);
  body(context);
  clock_gettime(clock, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

size_t benchmark_peak_resident_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss * 1024;
}

size_t benchmark_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
