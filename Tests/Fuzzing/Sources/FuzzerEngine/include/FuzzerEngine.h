#pragma once
// What libFuzzer exports, and what mutators need of SQLite and zlib.
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/// Changes `size` bytes at `data` in one of libFuzzer's own ways, and returns their new number, at most `limit`.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

/// Runs the fuzzer with a program's arguments; returns its exit status.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*input)(const uint8_t *data, size_t size));
