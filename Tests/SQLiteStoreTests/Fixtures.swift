import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Synchronization
import TestFiles

@testable import CoreData

/// A model in few words: `entity("Book", [.string("title")], parent: nil)`.
final class ModelBuilder {
  let model = NSManagedObjectModel()
  private var entities: [String: NSEntityDescription] = [:]

  @discardableResult
  func entity(
    _ name: String, _ attributes: [NSPropertyDescription] = [], parent: String? = nil, isAbstract: Bool = false,
    unique: [[String]] = [], indexes: [(String, [(String, Bool)])] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.isAbstract = isAbstract
    entity.properties = attributes
    entity.uniquenessConstraints = unique
    if let parent { entities[parent]!.subentities.append(entity) }
    entities[name] = entity
    entity.indexes = indexes.map { index, columns in
      NSFetchIndexDescription(
        name: index,
        elements: columns.map { column, ascending in
          let element = NSFetchIndexElementDescription(
            property: attributes.first { $0.name == column }!, collationType: .binary)
          element.isAscending = ascending
          return element
        })
    }
    return entity
  }

  enum End {
    case one(String, String)
    case many(String, String)
    case ordered(String, String)
  }

  /// A relationship and its inverse; each end is the entity that declares it and its name.
  func relate(_ first: End, _ second: End? = nil, to destination: String? = nil) {
    let mine = relationship(first)
    guard let second else {
      mine.description.destinationEntity = entities[destination!]
      return
    }
    let theirs = relationship(second)
    mine.description.destinationEntity = entities[theirs.entity]
    theirs.description.destinationEntity = entities[mine.entity]
    mine.description.inverseRelationship = theirs.description
    theirs.description.inverseRelationship = mine.description
  }

  /// A relationship that is its own inverse.
  func relateToItself(_ end: End) {
    let mine = relationship(end)
    mine.description.destinationEntity = entities[mine.entity]
    mine.description.inverseRelationship = mine.description
  }

  private func relationship(_ end: End) -> (entity: String, description: NSRelationshipDescription) {
    let description = NSRelationshipDescription()
    let owner: String
    switch end {
    case .one(let entity, let name):
      (owner, description.name, description.maxCount) = (entity, name, 1)
    case .many(let entity, let name): (owner, description.name) = (entity, name)
    case .ordered(let entity, let name):
      (owner, description.name, description.isOrdered) = (entity, name, true)
    }
    let entity = entities[owner]!
    entity.properties = entity.ownProperties + [description]
    return (owner, description)
  }

  /// The finished model.
  func make() -> NSManagedObjectModel {
    model.entities = entities.values.filter { $0.superentity == nil }
    return model
  }
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  return attribute
}

extension TemporaryFolder {
  /// A place for a store of a type, which nobody else has.
  func place(_ name: String, ofType type: String) -> URL {
    type == NSPostgreSQLStoreType ? TestServer.required.newStoreURL() : file(name)
  }
}

/// The stores whose answers are compared: first the one that makes SQL of a question, then one that evaluates in
/// memory.
enum ComparedStores {
  static let asked = TestServer.hasAllStores ? NSPostgreSQLStoreType : NSSQLiteStoreType
  static let types = [asked, NSInMemoryStoreType]
  /// Whether both order texts by the same locale, and have the same letters in a regular expression.
  static let haveOneLocale = asked == NSSQLiteStoreType

  /// Whether an error says that the asked store takes types more strictly than SQLite, which is its right.
  static func refuses(_ error: any Error) -> Bool {
    let isRefusal = (error as NSError).localizedDescription.contains("the PostgreSQL server says")
    if isRefusal { refusals.withLock { $0 += 1 } }
    return isRefusal
  }

  static let refusals = Mutex(0)
}

/// An open store with a trace that records.
func openStore(
  _ model: NSManagedObjectModel, at url: URL, configuration: String? = nil, options: [AnyHashable: Any]? = nil
) throws -> SQLiteStore {
  let store = SQLiteStore(
    layouts: ModelLayouts.of(model), configurationName: configuration, at: url, options: options,
    coordinator: nil)
  store.trace = StatementTrace(level: 1, isRecording: true)
  try store.loadMetadata()
  _ = store.trace!.takeRecorded()
  return store
}

/// A row of an entity from values by property name; destinations as references.
func row(
  _ layout: EntityLayout, key: Int64, version: Int64 = 1, _ values: [String: Value] = [:],
  to destinations: [String: RowReference] = [:]
) -> RowSnapshot {
  var builder = RowBuilder()
  builder.beginRow(layout)
  for property in layout.slots {
    if let value = values[property.name] { builder.set(value, property) }
    if let destination = destinations[property.name] { builder.setDestination(destination, property) }
  }
  return builder.finishRow(key: key, version: version, entity: layout.index)
}

extension SQLiteStore {
  func layout(_ name: String) -> EntityLayout { layouts.layout(named: name)! }

  /// Inserts rows of one entity with keys from a reservation.
  @discardableResult
  func insert(
    _ entity: String, _ values: [[String: Value]], to destinations: [String: RowReference] = [:]
  ) throws -> [RowSnapshot] {
    let layout = layout(entity)
    let first = try reserveKeys(values.count, in: layout.root)
    var changes = ChangeSet()
    changes.inserted = values.enumerated().map {
      row(layout, key: first + Int64($0), $1, to: destinations)
    }
    guard case .saved = try commit(changes) else { throw TestFailure("conflict") }
    return changes.inserted
  }

  func all(_ entity: String) throws -> [RowSnapshot] {
    guard case .rows(let rows) = try rows(for: FetchDescription(layout: layout(entity))) else {
      throw TestFailure("no rows")
    }
    return rows
  }
}

struct TestFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// The rows of a query, each as text, read through a connection of its own.
func query(_ sql: String, at url: URL) throws -> [String] {
  let connection = try Connection(path: url.path, options: Connection.Options())
  return try connection.rows(sql).map { $0.map { $0 ?? "NULL" }.joined(separator: "|") }
}
