#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/// Entry points of the Swift runtime that Swift source can't name. They are declared here because Swift warns about
/// every other way to call them.

/// Retains `object` and returns it; returns NULL if its deinitialization has begun.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Keeps the memory of `object`, but not the object. You can still ask whether its deinitialization has begun. Balance
/// each call with `swift_unownedRelease`.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
void swift_unownedRelease(void *_Nonnull object);

/// Retains `object` `count` times, in one operation.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);

/// Allocates an object of the class with this metadata; its fields are not initialised.
void *_Nonnull swift_allocObject(const void *_Nonnull metadata, size_t size, size_t alignmentMask);

/// What the managed object that is being made on this thread is made from; its initializer takes it. It is a
/// thread-local variable because a client's initializer, whose signature is fixed, is called in between.
void *_Nullable core_data_materialisation(void);
void core_data_set_materialisation(void *_Nullable value);

/// The innermost context whose block runs on this thread; see `QueueOwnership`.
void *_Nullable core_data_queue_ownership(void);
void core_data_set_queue_ownership(void *_Nullable value);

/// The object whose overridden `performAndWait` is being called on this thread; see `waitThroughOverride`.
void *_Nullable core_data_waiting(void);
void core_data_set_waiting(void *_Nullable value);

/// Records the name of a Swift module that has classes of managed objects. It is called while the program is loaded,
/// before `main`, so it uses neither the Swift runtime nor Foundation. `name` must never be freed. `has_own_accessors`
/// says whether the plugin wrote types that key-value coding and validation find methods by.
void core_data_note_module(const char *_Nonnull name, _Bool has_own_accessors);

/// The module recorded at an index, in the order of the calls; NULL after the last one.
const char *_Nullable core_data_noted_module(size_t index);

/// What was said of the module at an index that has one.
_Bool core_data_module_has_own_accessors(size_t index);

/// Whether to look for uses of a context off its queue. It is a plain C variable because every property access reads
/// it, and a Swift global would check each time whether it is initialized. It is written before the first context is
/// made.
extern _Bool core_data_guards_queues;

/// Whether short strings have the layout that `SmallString` makes. Written before there are rows, read for each string.
extern _Bool core_data_knows_small_strings;

/// The class of the objects that `MiddleString` makes; NULL if the standard library's objects have another layout.
/// Written before there are rows, read for each string.
extern const void *_Nullable core_data_string_class;

/// How far one value of a row of SQLite's lies from the next, in bytes; 0 if that isn't known. Written before there are
/// rows, read for each row.
extern long core_data_column_stride;

/// The next of -1, -2, -3 …: a key for an object that no store has. Any thread may call it.
long long core_data_next_temporary_key(void);

/// Reads and writes a word that threads share without a lock.
static inline unsigned long core_data_load_word(const unsigned long *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void core_data_store_word(unsigned long *_Nonnull word, unsigned long value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Translates a mangled name to a readable one, which the caller frees; NULL if it isn't a mangled name.
char *_Nullable swift_demangle(const char *_Nonnull mangledName, size_t length, char *_Nullable buffer,
                               size_t *_Nullable bufferSize, unsigned int flags);

/// How many frames of this thread's stack, from the caller's, can be followed by their frame pointers without leaving
/// the stack; 0 if that isn't known.
///
/// Code without frame pointers leaves any value in their place. The runtime's `Backtrace` follows it wherever it leads.
size_t core_data_count_frames(void);

/// The file from which the code at `address` was loaded, and its start in memory; NULL if the code is in no file.
const char *_Nullable core_data_file_of_code(const void *_Nonnull address, const void *_Nullable *_Nonnull start);

/// Where `text` first occurs in the bytes; NULL if it does not. It calls a function of the C library that Swift doesn't
/// import.
const void *_Nullable core_data_find(const void *_Nonnull bytes, size_t length, const char *_Nonnull text);

/// Takes `count` arguments from a C argument list, one word each. `kinds` has a letter for each: i for an int, l for a
/// 64-bit integer, d for a double (its bits), p for a pointer. One call takes all of them, because a list that was
/// passed to a function must not be read further.
void core_data_take_arguments(va_list list, const char *_Nonnull kinds, size_t count, uint64_t *_Nonnull words);

#endif
