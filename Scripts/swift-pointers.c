// Shows the leak detector the pointers that Swift writes in its own way. Scripts/sanitize preloads it.
//
// The detector looks for plain addresses. Swift keeps two kinds of others:
//
// - The cases of an enumeration, and flags as those of `Data`, stand in the spare bits of a pointer: the eight highest
//   and the three lowest.
// - An object to which a weak reference has led keeps its counts in a table of their own. Its header has the table's
//   address divided by eight, under two bits that say so.
//
// So when the program ends, before the detector looks, this walks from the globals and the stacks through all blocks
// of the heap, along plain pointers and these. A block that such a pointer leads to is then told to the detector as not
// lost. Nothing else is: a block that no living one points to stays a leak, and so does a circle.
//
// SWIFT_POINTERS=count prints how many such pointers there were.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
// Of the sanitizer's runtime; missing in programs without one, which are left alone.
WEAK void __lsan_ignore_object(const void *);
WEAK const void *__sanitizer_get_allocated_begin(const void *);
WEAK int __sanitizer_get_ownership(const void *);
WEAK size_t __sanitizer_get_allocated_size_fast(const void *);

typedef uintptr_t word;

enum { slotBits = 26 };
static word *seen, *waiting;
static size_t waitingCount, toldCount;

static void *room(size_t words) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *made = mmap(0, words * sizeof(word), PROT_READ | PROT_WRITE, flags, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

/// Whether the block is new; then it waits for being looked through.
static int enter(word block) {
  word slot = (block >> 4) * 0x9E3779B97F4A7C15u >> (64 - slotBits);
  while (seen[slot] && seen[slot] != block) slot = (slot + 1) & (((word)1 << slotBits) - 1);
  if (seen[slot]) return 0;
  seen[slot] = block;
  waiting[waitingCount++] = block;
  return 1;
}

/// The block of the heap that an address is in, or 0.
static word block(word address) {
  // Below are no mappings of a program on Linux; above are none that it can have.
  if (address < 0x10000 || address >> 47) return 0;
  return (word)__sanitizer_get_allocated_begin((const void *)address);
}

typedef struct { word begin, end; } Range;

static void lookAt(word value, int isSwift) {
  word plain = block(value);
  if (plain) {
    if (!isSwift) enter(plain);
    return;
  }
  if (!isSwift || value >> 56 == 0) return;
  word spare = block(value & 0x00FFFFFFFFFFFFF8);
  // The table's address divided by eight, under the two highest bits.
  word table = value >> 62 == 3 ? block((value & 0x3FFFFFFFFFFFFFFF) << 3) : 0;
  word found = spare ? spare : table;
  if (!found) return;
  // Even if a plain pointer leads there too: this walk sees more of them than the detector.
  __lsan_ignore_object((const void *)found);
  toldCount += 1;
  enter(found);
}

/// Reads through the system, which refuses what another thread has just given back.
static void lookThrough(Range range, int isSwift) {
  word words[512];
  word at = (range.begin + 7) & ~(word)7;
  while (at + sizeof(word) <= range.end) {
    // Up to the next page, so that a page that is missing is left out alone.
    word next = (at | 4095) + 1, count = ((next < range.end ? next : range.end) - at) / sizeof(word);
    struct iovec to = {words, count * sizeof(word)}, from = {(void *)at, count * sizeof(word)};
    ssize_t read = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    for (ssize_t n = 0; n < read / (ssize_t)sizeof(word); n++) lookAt(words[n], isSwift);
    at = next;
  }
}

/// Empty if another thread has freed the block.
static Range whole(word block) {
  size_t size = __sanitizer_get_ownership((const void *)block)
    ? __sanitizer_get_allocated_size_fast((const void *)block) : 0;
  return (Range){block, block + size};
}

/// Looks for plain pointers through all that waits. What was looked through stays in the list.
static void follow(size_t from) {
  for (size_t next = from; next < waitingCount; next++) lookThrough(whole(waiting[next]), 0);
}

// Outside of the globals, which are looked through.
static Range *roots;
static int rootCount;
static word mainThread;

static void addRoot(word begin, word end) {
  if (rootCount < 4096 && begin < end) roots[rootCount++] = (Range){begin, end};
}

/// What the mapping around an address has from there on, and `before` bytes before it.
static void addAround(const Range *mappings, int count, word address, word before) {
  for (int n = 0; n < count; n++) {
    if (address < mappings[n].begin || address >= mappings[n].end) continue;
    addRoot(address - mappings[n].begin < before ? mappings[n].begin : address - before, mappings[n].end);
  }
}

/// The living part of each other thread's stack, above which are the variables of the thread. The stack of this one has
/// mostly what the end of the program left there.
static void addThreads(const Range *mappings, int count) {
  DIR *tasks = opendir("/proc/self/task");
  struct dirent *entry;
  while (tasks && (entry = readdir(tasks))) {
    char path[300], line[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/syscall", entry->d_name);
    FILE *file = entry->d_name[0] == '.' || atoi(entry->d_name) == gettid() ? NULL : fopen(path, "r");
    if (!file) continue;
    // The last but one of the numbers is the stack pointer of a thread that waits.
    char *last = fgets(line, sizeof line, file) ? strrchr(line, ' ') : NULL;
    fclose(file);
    if (!last) continue;
    *last = 0;
    char *stack = strrchr(line, ' ');
    if (stack) addAround(mappings, count, strtoul(stack + 1, NULL, 16), 0);
  }
  if (tasks) closedir(tasks);
}

static void tell(void) {
  int count = 0, wasFile = 0;
  Range *mappings = room(2 * 8192);
  roots = room(2 * 4096);
  seen = room((size_t)1 << slotBits);
  waiting = room((size_t)1 << slotBits);
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!seen || !waiting || !mappings || !roots || !maps) return;
  char line[1024];
  word lastEnd = 0;
  while (count < 8192 && fgets(line, sizeof line, maps)) {
    word begin, end;
    char rights[5], name[900] = "";
    if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %899s", &begin, &end, rights, name) < 3) continue;
    int isFile = name[0] == '/', isWritable = rights[0] == 'r' && rights[1] == 'w';
    // A module's zeroed globals follow its file without a name.
    int isGlobals = isFile || (name[0] == 0 && wasFile && begin == lastEnd);
    if (isFile || begin != lastEnd || name[0]) wasFile = isFile;
    lastEnd = end;
    if (!isWritable) continue;
    mappings[count++] = (Range){begin, end};
    if (isGlobals) addRoot(begin, end);
  }
  fclose(maps);
  addThreads(mappings, count);
  // The main thread's variables are not on its stack: they stand before its description.
  addAround(mappings, count, mainThread, 1 << 16);
  for (int n = 0; n < rootCount; n++) lookThrough(roots[n], 0);
  follow(0);
  for (int n = 0; n < rootCount; n++) lookThrough(roots[n], 1);
  for (size_t next = 0; next < waitingCount; next++) {
    size_t before = waitingCount;
    lookThrough(whole(waiting[next]), 1);
    follow(before);
  }
  if (getenv("SWIFT_POINTERS")) fprintf(stderr, "Pointers in Swift's own ways: %zu.\n", toldCount);
}

static int (*mainFunction)(int, char **, char **);

static int beginWithHandler(int count, char **arguments, char **environment) {
  mainThread = (word)__builtin_thread_pointer();
  atexit(tell);
  return mainFunction(count, arguments, environment);
}

/// Stands before the C library's. What is registered last runs first, so the handler has to come after the detector's,
/// which the program's own start registers.
int __libc_start_main(
  int (*function)(int, char **, char **), int count, char **arguments, void (*first)(void), void (*last)(void),
  void (*loader)(void), void *stack) {
  int (*start)(void *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
    dlsym(RTLD_NEXT, "__libc_start_main");
  mainFunction = function;
  int sees = __lsan_ignore_object && __sanitizer_get_allocated_begin && __sanitizer_get_ownership
    && __sanitizer_get_allocated_size_fast;
  return start(sees ? (void *)beginWithHandler : (void *)function, count, arguments, first, last, loader, stack);
}
