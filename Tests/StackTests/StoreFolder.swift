import Foundation
import PostgreSQLTestServer
import Testing

@testable import CoreData

/// A folder for store files, removed with the value; and stacks that don't remove their files.
final class StoreFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)

  init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Where a store of this name is: in the folder, unless a server has it.
  func place(_ kind: StoreKind, _ name: String) -> URL {
    kind.isOnServer ? TestServer.required.url(schema: "\(name)-\(url.lastPathComponent)") : file(name)
  }

  /// The names of everything in the folder, deep down.
  var names: [String] {
    (FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []).sorted()
  }

  /// Opens a store, runs a body on a context of it, and closes it.
  func open<Result>(
    _ kind: StoreKind, _ name: String, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
    _ body: (NSPersistentStore, NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: nil, at: place(kind, name), options: options)
    let context = coordinator.newContext()
    defer { try? coordinator.remove(store) }
    return try context.performAndWait { try body(store, context) }
  }

  /// A file with one tag.
  func make(_ kind: StoreKind, _ name: String, tag: String) throws -> String {
    try open(kind, name, library()) { store, context in
      context.new("Tag", ["name": tag])
      try context.save()
      return store.identifier
    }
  }

  func tags(_ kind: StoreKind, _ name: String) throws -> [String] {
    try open(kind, name, library()) { try $1.strings("Tag", "name") }
  }

  /// A connection of somebody else's that holds a lock.
  func lock(_ name: String) throws -> Connection {
    let connection = try Connection(path: file(name).path, options: Connection.Options())
    try connection.begin(.immediate)
    return connection
  }
}

extension StoreKind {
  /// The stores whose contents outlive the coordinator.
  static var kept: [StoreKind] { allCases.filter { $0 != .inMemory } }

  /// Whether fetches become SQL, which has no blocks.
  var makesSQL: Bool { type == NSSQLiteStoreType || isOnServer }

  var isOnServer: Bool { self == .postgreSQL }
}

/// The condition of tests that open, break or move a store's file.
let aboutFiles = ConditionTrait.enabled(if: !TestServer.hasAllStores, "It is about files, and a server has none.")

extension NSPersistentStoreCoordinator {
  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = self
    return context
  }
}

/// The notifications about stores that the given objects post while the log exists.
final class StoreLog: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [Notification] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ objects: AnyObject...) {
    let names: [Notification.Name] = [
      .NSPersistentStoreCoordinatorStoresWillChange, .NSPersistentStoreCoordinatorWillRemoveStore,
      .NSPersistentStoreCoordinatorStoresDidChange,
    ]
    for object in objects {
      for name in names {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { [weak self] note in
            self?.lock.withLock { self?.entries.append(note) }
          })
      }
    }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

  var names: [String] {
    lock.withLock {
      entries.map {
        $0.name.rawValue.replacingOccurrences(of: "NSPersistentStoreCoordinator", with: "")
          .replacingOccurrences(of: "Notification", with: "")
      }
    }
  }

  func stores(_ key: String, in index: Int) -> [NSPersistentStore]? {
    lock.withLock { entries[index].userInfo?[key] as? [NSPersistentStore] }
  }

  func changed(in index: Int) -> [Any]? {
    lock.withLock { entries[index].userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] }
  }
}
