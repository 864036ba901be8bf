import CoreData
import Foundation

/// An atomic store in one text file: an example of what such a store has to do.
///
///     Store,CSV,6F9619FF-…
///     Hash,Author,qL1z…
///     Entity,Author,born,name,books
///     1,,Kafka,2 3
///     Entity,Book,pages,title,author
///     2,7,"Amerika",1
///
/// After an `Entity` line come its objects: the reference, a number, then a cell for each property that the line
/// names. Relationships are the references of what they lead to. An empty cell is nil, `""` an empty text.
class CSVStore: NSAtomicStore {
  static let storeType = "CSV"

  private var lastReference = 0

  override var type: String { CSVStore.storeType }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try CSVFile(url).metadata
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    var file = try CSVFile(url)
    file.metadata = metadata ?? [:]
    try file.write(to: url)
  }

  // Reading.

  override func load() throws {
    let file = try CSVFile(url!)
    // A file that is missing, or empty, is a store to be made: it keeps the metadata that it was given.
    if !file.metadata.isEmpty { metadata = file.metadata }
    let entities = persistentStoreCoordinator!.managedObjectModel.entitiesByName
    var nodes: [Int: NSAtomicStoreCacheNode] = [:]
    for table in file.tables {
      guard let entity = entities[table.entity] else { throw CSVError("There is no entity \(table.entity).") }
      for row in table.rows {
        let id = objectID(for: entity, withReferenceObject: NSNumber(value: row.reference))
        nodes[row.reference] = NSAtomicStoreCacheNode(objectID: id)
        lastReference = max(lastReference, row.reference)
      }
    }
    for table in file.tables {
      let properties = entities[table.entity]!.propertiesByName
      for row in table.rows {
        for (name, cell) in zip(table.columns, row.cells) {
          guard let cell, let property = properties[name] else { continue }
          nodes[row.reference]!.setValue(try CSVStore.value(cell, property, nodes), forKey: name)
        }
      }
    }
    addCacheNodes(Set(nodes.values))
  }

  private static func value(
    _ cell: String, _ property: NSPropertyDescription, _ nodes: [Int: NSAtomicStoreCacheNode]
  ) throws -> Any? {
    if let relationship = property as? NSRelationshipDescription {
      let members = cell.split(separator: " ").compactMap { Int($0).flatMap { nodes[$0] } }
      if !relationship.isToMany { return members.first }
      return relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
    }
    guard let attribute = property as? NSAttributeDescription else { return nil }
    guard let value = CSVCell.value(of: cell, attribute.attributeType) else {
      throw CSVError("\(attribute.entity.name!).\(attribute.name) can't be \"\(cell)\".")
    }
    return value
  }

  // Saving: first the framework brings the nodes up to date, then all of them are written.

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    lastReference += 1
    return NSNumber(value: lastReference)
  }

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    NSAtomicStoreCacheNode(objectID: managedObject.objectID)
  }

  override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    for property in managedObject.entity.properties where !property.isTransient {
      let value = managedObject.value(forKey: property.name)
      guard let relationship = property as? NSRelationshipDescription else {
        if property is NSAttributeDescription { node.setValue(value, forKey: property.name) }
        continue
      }
      func own(_ objects: [Any]) -> [NSAtomicStoreCacheNode] {
        objects.compactMap { cacheNode(for: ($0 as! NSManagedObject).objectID) }
      }
      if !relationship.isToMany {
        node.setValue((value as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }, forKey: property.name)
      } else if let members = value as? NSOrderedSet {
        node.setValue(NSOrderedSet(array: own(members.array)), forKey: property.name)
      } else if let members = value as? NSSet {
        node.setValue(NSSet(array: own(members.allObjects)), forKey: property.name)
      }
    }
  }

  override func save() throws {
    var file = CSVFile()
    file.metadata = metadata
    let nodes = Dictionary(grouping: cacheNodes()) { $0.objectID.entity.name! }
    let there = cacheNodes()
    for (entity, nodes) in nodes.sorted(by: { $0.key < $1.key }) {
      let properties = nodes[0].objectID.entity.propertiesByName.filter {
        !$0.value.isTransient && !($0.value is NSFetchedPropertyDescription)
      }.sorted { $0.key < $1.key }
      var table = CSVFile.Table(entity: entity, columns: properties.map(\.key))
      for node in nodes.sorted(by: { reference($0) < reference($1) }) {
        let cells = properties.map { cell(node.value(forKey: $0.key), $0.value, there) }
        table.rows.append(.init(reference: reference(node), cells: cells))
      }
      file.tables.append(table)
    }
    try file.write(to: url!)
  }

  /// Relationships may still lead to nodes whose objects are gone.
  private func cell(
    _ value: Any?, _ property: NSPropertyDescription, _ there: Set<NSAtomicStoreCacheNode>
  ) -> String? {
    guard let value else { return nil }
    guard property is NSRelationshipDescription else { return CSVCell.text(of: value) }
    let members =
      (value as? NSAtomicStoreCacheNode).map { [$0] } ?? (value as? NSOrderedSet)?.array
      ?? (value as? NSSet)?.allObjects
    return members?.map { $0 as! NSAtomicStoreCacheNode }.filter(there.contains).map { "\(reference($0))" }
      .joined(separator: " ")
  }

  private func reference(_ node: NSAtomicStoreCacheNode) -> Int {
    (referenceObject(for: node.objectID) as! NSNumber).intValue
  }
}

struct CSVError: LocalizedError {
  let errorDescription: String?
  init(_ what: String) { errorDescription = what }
}
