#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/// Entry points of the Swift runtime that Swift source has no name for.
/// They are declared here because Swift warns about every other way to reach them.

/// Retains `object` unless its deinitialisation has begun; then returns NULL.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Keeps the memory of `object` where it is, though not the object: it can still be asked whether its deinitialisation has
/// begun. Each call needs one of the other.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
void swift_unownedRelease(void *_Nonnull object);

/// Retains `object` `count` times, in one operation.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);

/// Allocates an object of the class with this metadata; its fields are not initialised.
void *_Nonnull swift_allocObject(const void *_Nonnull metadata, size_t size, size_t alignmentMask);

/// What the managed object being made on this thread is made from; taken by its initialiser.
/// A thread-local variable, because a client's initialiser stands between the two.
void *_Nullable core_data_materialisation(void);
void core_data_set_materialisation(void *_Nullable value);

/// The innermost context whose block runs on this thread; see `QueueOwnership`.
void *_Nullable core_data_queue_ownership(void);
void core_data_set_queue_ownership(void *_Nullable value);

/// The object whose overridden `performAndWait` is being asked on this thread; see `waitThroughOverride`.
void *_Nullable core_data_waiting(void);
void core_data_set_waiting(void *_Nullable value);

/// Remembers a Swift module that has classes of managed objects. Called while the program is loaded, before `main`: it
/// needs neither the Swift runtime nor Foundation. `name` must stay where it is.
void core_data_note_module(const char *_Nonnull name);

/// The module noted at an index, in the order in which they came; NULL behind the last one.
const char *_Nullable core_data_noted_module(size_t index);

/// Whether uses of a context off its queue are looked for. A plain C variable, since every property access reads
/// it and a Swift global asks first whether it was initialised. Written before the first context is made.
extern _Bool core_data_guards_queues;

/// Whether short strings have the form that `SmallString` makes. Written before there are rows, read for each string.
extern _Bool core_data_knows_small_strings;

/// The class of the objects that `MiddleString` makes; NULL where they have another form than it knows. Written before
/// there are rows, read for each string.
extern const void *_Nullable core_data_string_class;

/// -1, -2, -3 …: a key for an object that no store has seen. Any thread.
long long core_data_next_temporary_key(void);

/// One word that threads share without a lock.
static inline unsigned long core_data_load_word(const unsigned long *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void core_data_store_word(unsigned long *_Nonnull word, unsigned long value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// The readable form of a mangled name, to be freed by the caller; NULL if it is none.
char *_Nullable swift_demangle(const char *_Nonnull mangledName, size_t length, char *_Nullable buffer,
                               size_t *_Nullable bufferSize, unsigned int flags);

/// The file that the code at `address` was loaded from, and where in memory it begins; NULL if it is in none.
const char *_Nullable core_data_file_of_code(const void *_Nonnull address, const void *_Nullable *_Nonnull start);

/// Whether a text stands somewhere in some bytes. The C library's search, which Swift does not see.
_Bool core_data_contains(const void *_Nonnull bytes, size_t length, const char *_Nonnull text);

/// Takes `count` arguments from a C list, each a word: `kinds` has a letter for each of them, i for an int, l for a
/// 64-bit integer, d for a double (its bits), p for a pointer. All in one call, since a list that was handed on may
/// not be read further.
void core_data_take_arguments(va_list list, const char *_Nonnull kinds, size_t count, uint64_t *_Nonnull words);

#endif
