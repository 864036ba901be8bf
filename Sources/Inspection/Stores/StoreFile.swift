import CoreData
import DataModelFiles
import Foundation
import PostgreSQLStore
import StoreFileReader

/// A store opened for inspection: its metadata, its model and a stack, all read-only.
///
/// Neither the file nor anything beside it changes. Used by one thread at a time.
public final class StoreFile {
  /// The store's URL, without a password.
  public let url: URL
  public let kind: FileKind
  public let metadata: [String: Any]
  let origin: ModelOrigin
  /// The reason why the stack could not open the store; nil if it could.
  let obstacle: String?
  /// The store's model; nil if none was found.
  let model: DataModel?
  /// The model's hashes by entity.
  let modelHashes: [String: [UInt8]]
  let store: NSPersistentStore?
  let context: NSManagedObjectContext?
  /// The reader of a SQLite file; nil for other stores.
  let reader: StoreFileReader?
  private let database: QuietDatabase?

  /// Opens a store.
  ///
  /// - Parameter modelURL: the model to read it with; nil for the one that the store has itself.
  public init(kind: FileKind, url: URL, modelURL: URL? = nil) throws {
    self.url = url.withoutPassword
    self.kind = kind
    if kind == .sqliteStore {
      let database = try QuietDatabase(url)
      try DatabaseHeader(database.url).checkSize(url)
      self.database = database
      reader = try StoreFile.naming(url) { try StoreFileReader(contentsOf: database.url, isImmutable: true) }
      try StoreFile.checkTables(reader!, url)
    } else {
      database = nil
      reader = nil
    }
    let place = database?.url ?? url
    do {
      metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.form, at: place)
    } catch {
      throw InspectionFailure("The metadata of the store \(self.url.inWords) cannot be read", because: error)
    }
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let choice = try StoreModel(kind: kind, place: place, hashes: stored, given: modelURL)
    origin = choice.origin
    guard let managed = choice.model else {
      (model, modelHashes, store, context) = (nil, [:], nil, nil)
      obstacle = choice.obstacle
      return
    }
    model = choice.values
    modelHashes = choice.hashes
    managed.readWithoutClasses()
    do {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managed)
      store = try coordinator.addPersistentStore(
        ofType: kind.form, configurationName: choice.configuration, at: place,
        options: [
          NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true,
          immutableStoreFileOption: true,
          // The history of a file is read from its tables.
          NSPersistentHistoryTrackingKey: kind == .postgreSQLStore,
        ])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      context.undoManager = nil
      self.context = context
      obstacle = nil
    } catch {
      (store, context) = (nil, nil)
      obstacle = reason(error).replacingOccurrences(of: place.path, with: url.path)
    }
  }

  deinit {
    if let store { try? context?.persistentStoreCoordinator?.remove(store) }
  }

  /// The store's tables; nil for stores without any.
  var tables: (any TableReading)? { reader ?? (store as? PostgreSQLStore).map(ServerTables.init) }

  /// Runs something that names the copy in its errors.
  static func naming<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreFileError {
      throw InspectionFailure("The file \(url.path) cannot be read: \(error.reason).")
    }
  }

  private static func checkTables(_ reader: StoreFileReader, _ url: URL) throws {
    let tables: [String]
    do { tables = try reader.tables() } catch let error as StoreFileError {
      throw InspectionFailure("The file \(url.path) is damaged: \(error.reason).")
    }
    guard !tables.contains("Z_METADATA") else { return }
    throw InspectionFailure(
      "The file \(url.path) is a SQLite database, but not a Core Data store: it has no table Z_METADATA.")
  }
}

/// Where a store's model came from.
enum ModelOrigin: Equatable {
  case given(URL, version: String)
  /// Kept in the store's file.
  case cached
  /// Put together from tables and columns.
  case inferred
  case none

  var json: JSONValue {
    switch self {
    case .given(let url, let version):
      .record(["origin": .string("given"), "path": .string(url.path), "version": .string(version)])
    case .cached: .record(["origin": .string("cached")])
    case .inferred: .record(["origin": .string("inferred")])
    case .none: .record(["origin": .string("none")])
    }
  }

  func words(_ kind: FileKind) -> String {
    switch self {
    case .given(let url, let version): "\(version) of \(url.path)"
    case .cached: "the one that the \(kind == .postgreSQLStore ? "database" : "file") keeps"
    case .inferred:
      "INFERRED FROM THE FILE: names and types are guesses, flags and delete rules are unknown; "
        + "give one with --model"
    case .none: "NONE FOUND; give one with --model"
    }
  }
}

extension NSManagedObjectModel {
  /// Removes the need for the program's classes: objects become plain, and transformable values stay data.
  fileprivate func readWithoutClasses() {
    let name = NSValueTransformerName("InspectionIdentity")
    ValueTransformer.setValueTransformer(IdentityTransformer(), forName: name)
    for entity in entities {
      entity.managedObjectClassName = "NSManagedObject"
      for case let attribute as NSAttributeDescription in entity.properties { attribute.use(name) }
    }
  }
}

extension NSAttributeDescription {
  /// Has a transformable attribute, or those among a composite's elements, read by the transformer of that name.
  fileprivate func use(_ transformer: NSValueTransformerName) {
    if attributeType == .transformableAttributeType { valueTransformerName = transformer.rawValue }
    for element in (self as? NSCompositeAttributeDescription)?.elements ?? [] { element.use(transformer) }
  }
}

/// Leaves stored data as it is.
private final class IdentityTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
}

extension StoreFile {
  /// The store's path, or its URL without a password.
  public var name: String { url.inWords }

  /// The store's model as plain values; nil where none was found.
  public var values: DataModel? { model }
}
