internal import CSwiftRuntime

/// One word that any thread may read and write. It caches an answer that each thread could also find by itself.
///
/// A handle on memory that its owner frees.
struct AtomicWord: @unchecked Sendable {
  // `@unchecked Sendable`: read and written atomically.
  private let word: UnsafeMutablePointer<UInt>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  func free() { word.deallocate() }

  var value: UInt {
    get { core_data_load_word(word) }
    nonmutating set { core_data_store_word(word, newValue) }
  }
}
