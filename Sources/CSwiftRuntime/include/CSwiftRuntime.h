#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stddef.h>

/// Entry points of the Swift runtime that Swift source has no name for.
/// They are declared here because Swift warns about every other way to reach them.

/// Retains `object` unless its deinitialisation has begun; then returns NULL.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Allocates an object of the class with this metadata; its fields are not initialised.
void *_Nonnull swift_allocObject(const void *_Nonnull metadata, size_t size, size_t alignmentMask);

#endif
