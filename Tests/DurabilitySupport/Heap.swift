import FaultyFiles

/// How many bytes of the C library's heap are in use, by all threads.
public var heapBytes: Int { faulty_heap_bytes() }
