import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@testable import CoreData

/// The stores that every test of the stack runs over.
enum StoreKind: CaseIterable, CustomStringConvertible, Sendable {
  case inMemory, sqlite, xml, binary
  /// The stores of `CustomStores`.
  case csv, dictionary
  case postgreSQL

  /// The framework's own; or that on a server, where `Scripts/test-postgresql` asks for it.
  static let allCases: [StoreKind] = TestServer.hasAllStores ? [.postgreSQL] : [.inMemory, .sqlite, .xml, .binary]

  /// For tests of what stores that others have written do as well.
  static let withCustom = allCases + [.csv, .dictionary]

  var type: String {
    switch self {
    case .inMemory: NSInMemoryStoreType
    case .sqlite: NSSQLiteStoreType
    case .xml: NSXMLStoreType
    case .binary: NSBinaryStoreType
    case .csv: CSVStore.storeType
    case .dictionary: DictionaryStore.storeType
    case .postgreSQL: NSPostgreSQLStoreType
    }
  }

  /// Done once, before the first store is added.
  static let registration: Void = {
    NSPersistentStoreCoordinator.registerStoreClass(CSVStore.self, forStoreType: CSVStore.storeType)
    NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: DictionaryStore.storeType)
  }()

  /// A place for a store that nobody else has.
  func newURL() -> URL {
    if self == .postgreSQL { return TestServer.required.newStoreURL() }
    return FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(type.lowercased())")
  }

  var description: String { type }
}

/// A coordinator with one store, and a context. The store's files go with it.
final class Stack {
  /// Switched on once, before the first context of a test.
  static let invariantChecks: Void = { InvariantChecks.isOn = true }()

  let model: NSManagedObjectModel
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let context: NSManagedObjectContext
  let url: URL

  init(
    _ kind: StoreKind, _ model: NSManagedObjectModel = library(), at url: URL? = nil,
    options: [AnyHashable: Any]? = nil
  ) throws {
    _ = Stack.invariantChecks
    _ = StoreKind.registration
    self.model = model
    self.url = url ?? kind.newURL()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: nil, at: self.url, options: options)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  deinit {
    audit()
    guard url.isFileURL else { return }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
    if url.path != "/dev/null" { try? FileManager.default.removeItem(at: ExternalFiles(store: url).support) }
  }

  /// Runs a body on another context of the same coordinator, and saves nothing.
  func elsewhere<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
    let other = newContext()
    return try other.performAndWait { try body(other) }
  }

  /// Another context of the same coordinator.
  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

/// Runs a test's body on a stack's context, and looks at the invariants afterwards.
func withStack(
  _ kind: StoreKind, _ model: NSManagedObjectModel = library(),
  _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  let stack = try Stack(kind, model)
  try stack.context.performAndWait { try body(stack, stack.context) }
}

extension NSManagedObjectContext {
  @discardableResult
  func new(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    object.setValuesForKeys(values)
    return object
  }

  func all(_ entity: String) throws -> [NSManagedObject] {
    try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
  }

  /// The one object of an entity.
  func only(_ entity: String) throws -> NSManagedObject {
    let found = try all(entity)
    guard found.count == 1 else { throw Unexpected("\(found.count) objects of \(entity)") }
    return found[0]
  }

  /// This context's object of the same row.
  func same(_ object: NSManagedObject) -> NSManagedObject { self.object(with: object.objectID) }

  /// Forgets all values, so that they are read from the store again.
  func forget() { refreshAllObjects() }
}

/// Why some tests do not run when no row is shared and every save leaves faults.
let keepsRows = ConditionTrait.enabled(
  if: !Stress.isOn, "It is about rows that are kept, which COREDATA_STRESS forbids.")

struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension NSManagedObject {
  subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }

  /// Reads the values in, if the object is a fault: from here on it has the row of this moment.
  func read() { willAccessValue(forKey: nil) }

  func string(_ key: String) -> String? { value(forKey: key) as? String }
  func int(_ key: String) -> Int? { value(forKey: key) as? Int }
  func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

  /// The members of a to-many relationship.
  func objects(_ key: String) -> Set<NSManagedObject> {
    switch value(forKey: key) {
    case let set as NSSet: Set(set.allObjects as! [NSManagedObject])
    case let set as NSOrderedSet: Set(set.array as! [NSManagedObject])
    default: []
    }
  }

  /// The members of an ordered relationship, in order.
  func list(_ key: String) -> [NSManagedObject] {
    (value(forKey: key) as! NSOrderedSet).array as! [NSManagedObject]
  }
}

/// The error that a body throws.
func failure(_ body: () throws -> Void) -> NSError? {
  do {
    try body()
    return nil
  } catch {
    return error as NSError
  }
}

extension NSManagedObjectContext {
  /// One property of all objects of an entity, sorted.
  func strings(_ entity: String, _ key: String) throws -> [String] {
    try all(entity).compactMap { $0.string(key) }.sorted()
  }
}
