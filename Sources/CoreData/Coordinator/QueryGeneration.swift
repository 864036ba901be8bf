/// One state of a coordinator's stores. It exists as long as a context is pinned to it.
///
/// Stores are pinned one after the other. With several of them, a save in between may be visible in one and not in the
/// other. Any thread.
final class QueryGeneration: @unchecked Sendable {
  // `@unchecked Sendable`: immutable; the table of all generations is only touched under `lock`.

  let token: NSQueryGenerationToken
  /// By store; nil for a store that can't be pinned, whose newest state is read.
  private let pins: [(store: StoreIdentity, pin: (any StoreGeneration)?)]

  /// Pins the stores' current state; nil if none of them can be pinned.
  init?(pinning stores: [NSPersistentStore]) throws {
    let pins = try stores.map { ($0.identity, try ($0 as? any ValueStore)?.pinnedGeneration()) }
    guard pins.contains(where: { $0.1 != nil }) else { return nil }
    self.pins = pins
    token = QueryGeneration.lock.withLock {
      QueryGeneration.lastNumber += 1
      return NSQueryGenerationToken(number: QueryGeneration.lastNumber)
    }
    QueryGeneration.lock.withLock { QueryGeneration.living[token.number] = Weak(generation: self) }
  }

  deinit {
    let number = token.number
    QueryGeneration.lock.withLock { _ = QueryGeneration.living.removeValue(forKey: number) }
  }

  /// The reader for a store's rows; nil for a store that was removed, or added after the generation was made.
  func reader(of store: StoreIdentity, for context: NSManagedObjectContext) throws -> (any RowReader)? {
    guard store.store != nil, let found = pins.first(where: { $0.store === store }) else { return nil }
    return try found.pin?.reader() ?? store.rowStore?.reader(for: context)
  }

  /// Whether the generation includes a store, that is, one not removed or added since.
  func has(_ store: StoreIdentity) -> Bool { store.store != nil && pins.contains { $0.store === store } }

  func isAbout(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
    let stores = coordinator.persistentStores
    return pins.contains { own in stores.contains { $0.identity === own.store } }
  }

  // All generations, by number.

  private struct Weak {
    weak var generation: QueryGeneration?
  }

  private static let lock = NSLock()
  private nonisolated(unsafe) static var living: [Int: Weak] = [:]
  private nonisolated(unsafe) static var lastNumber = 0

  /// The generation of a token, if a context is still pinned to it.
  static func living(_ token: NSQueryGenerationToken) -> QueryGeneration? {
    guard token.process == NSQueryGenerationToken.ownProcess else { return nil }
    return lock.withLock { living[token.number]?.generation }
  }
}
