/// Reads the rows of a binary store.
///
/// The archive has a dictionary `mapData`, from an object's key to a node of the class `NSDictionaryMapNode`:
///
/// | field | content |
/// |---|---|
/// | `NSEntityName` | the entity's name |
/// | `NSPrimaryKey64` | the key |
/// | `NSAttributeValues` | the values, in the places of `BinaryEntity`; `NSNull` for nil |
/// | `NSRelatedNodes` | the keys of the destinations, by relationship; missing if there are none |
struct BinaryRowReader: ~Copyable {
  private let archive: ArchiveReader
  private let entities: [String: BinaryEntity]
  /// The entities, by the UID of the name.
  private var entityByName: [Int: BinaryEntity] = [:]
  private var relationshipByName: [Int: [UInt8]] = [:]
  private var scratch: [UInt8] = []
  private var keys: [Int64] = []

  init(_ archive: ArchiveReader, _ held: [EntityLayout]) {
    self.archive = archive
    entities = Dictionary(held.map { ($0.name, BinaryEntity($0)) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func read(into loader: inout AtomicLoader) throws {
    let map = try archive.root("mapData")
    guard let numbers = try elements("NS.keys", of: map), let nodes = try elements("NS.objects", of: map),
      numbers.count == nodes.count
    else { throw ArchiveReader.damaged }
    for index in 0..<nodes.count {
      let node = try archive.resolved(archive.element(nodes, index))
      let number = try archive.integer(archive.resolved(archive.element(numbers, index)))
      guard let key = try archive.field("NSPrimaryKey64", of: node).flatMap(archive.integer), key == number else {
        throw AtomicProblem.damaged(line: nil, "an object in it has no key, or the key of another place")
      }
      try readNode(node, key: key, loader: &loader)
    }
  }

  private func elements(_ name: StaticString, of object: ArchiveReader.Object) throws -> ArchiveReader.Elements? {
    try archive.field(name, of: object).flatMap(archive.elements)
  }

  private mutating func readNode(
    _ node: ArchiveReader.Object, key: Int64, loader: inout AtomicLoader
  ) throws {
    let entity = try entity(of: node, key)
    try loader.begin(entity.layout, key: key)
    guard let array = try archive.field("NSAttributeValues", of: node),
      let values = try elements("NS.objects", of: array), let places = entity.places(count: values.count)
    else {
      throw AtomicProblem.damaged(
        line: nil, "the object \(key) of \(entity.layout.name) does not have its \(entity.places.count) values")
    }
    for (index, place) in places.enumerated() {
      guard let property = place else { continue }
      let value = archive.element(values, index)
      if archive.isNil(value) { continue }
      let object = try archive.resolved(value)
      guard try BinaryValues.set(object, of: archive, property: property, builder: &loader.builder, scratch: &scratch)
      else {
        throw AtomicProblem.damaged(
          line: nil, "\(property.name) of the object \(key) of \(entity.layout.name) is not of its type")
      }
    }
    if let related = try archive.field("NSRelatedNodes", of: node) {
      try readRelated(related, entity: entity, key: key, loader: &loader)
    }
    loader.end()
  }

  private mutating func readRelated(
    _ related: ArchiveReader.Object, entity: BinaryEntity, key: Int64, loader: inout AtomicLoader
  ) throws {
    guard let names = try elements("NS.keys", of: related), let lists = try elements("NS.objects", of: related),
      names.count == lists.count
    else { throw ArchiveReader.damaged }
    for index in 0..<names.count {
      let name = try relationshipName(archive.element(names, index))
      guard let property = entity.relationships.first(where: { $0.name == name })?.property else {
        throw AtomicProblem.damaged(
          line: nil,
          "\(String(decoding: name, as: UTF8.self)) of the object \(key) is not a relationship of "
            + "\(entity.layout.name)")
      }
      guard let members = try elements("NS.objects", of: archive.resolved(archive.element(lists, index))) else {
        throw ArchiveReader.damaged
      }
      keys.removeAll(keepingCapacity: true)
      for member in 0..<members.count {
        guard let number = try archive.integer(archive.resolved(archive.element(members, member))) else {
          throw ArchiveReader.damaged
        }
        keys.append(number)
      }
      try loader.relate(property, keys)
    }
  }

  private mutating func entity(of node: ArchiveReader.Object, _ key: Int64) throws -> BinaryEntity {
    guard let name = try archive.value(of: "NSEntityName", in: node) else { throw ArchiveReader.damaged }
    let uid = archive.uid(name)
    if let known = uid.flatMap({ entityByName[$0] }) { return known }
    guard let text = try BinaryValues.string(archive.resolved(name), of: archive) else { throw ArchiveReader.damaged }
    guard let found = entities[text] else {
      throw AtomicProblem.damaged(
        line: nil, "the object \(key) is of \(text), which is not an entity of the model")
    }
    if let uid { entityByName[uid] = found }
    return found
  }

  private mutating func relationshipName(_ name: ArchiveReader.Object) throws -> [UInt8] {
    let uid = archive.uid(name)
    if let known = uid.flatMap({ relationshipByName[$0] }) { return known }
    guard let text = try BinaryValues.string(archive.resolved(name), of: archive) else { throw ArchiveReader.damaged }
    let bytes = Array(text.utf8)
    if let uid { relationshipByName[uid] = bytes }
    return bytes
  }
}
