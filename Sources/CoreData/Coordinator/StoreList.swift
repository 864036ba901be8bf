/// A coordinator's stores, and the locations of those that it is opening.
struct StoreList {
  private(set) var stores: [NSPersistentStore] = []
  private var opening: [URL] = []
  /// What the program has done so far to get stores. A message about a missing one says what to do next.
  var loading = Loading.byHand

  enum Loading {
    /// The coordinator was made by a program, which adds stores to it.
    case byHand
    /// The coordinator belongs to a container that has not been asked to load its stores.
    case notAsked
    /// The container was asked to load them.
    case asked
  }

  /// Reserves the location of a store that is being opened. Throws if there is one already.
  mutating func beginOpening(_ url: URL) throws {
    if opening.contains(where: url.isSameFile) || stores.contains(where: { $0.isAt(url) }) {
      throw Failure.storeAlreadyAdded(url: url)
    }
    opening.append(url)
  }

  mutating func endOpening(_ url: URL) {
    if let index = opening.firstIndex(where: url.isSameFile) { opening.remove(at: index) }
  }

  mutating func append(_ store: NSPersistentStore) { stores.append(store) }
  mutating func remove(_ store: NSPersistentStore) { stores.removeAll { $0 === store } }

  /// Replaces a store by another one, at the same position in the list, so that new objects still go there.
  mutating func replace(_ store: NSPersistentStore, by new: NSPersistentStore) {
    guard let index = stores.firstIndex(where: { $0 === store }) else { return append(new) }
    stores[index] = new
  }

  func contains(_ store: NSPersistentStore) -> Bool { stores.contains { $0 === store } }
}

extension NSPersistentStore {
  /// Whether the store's file is the one at a location; stores in memory have none.
  func isAt(_ other: URL) -> Bool { type != NSInMemoryStoreType && url?.isSameFile(as: other) == true }
}
