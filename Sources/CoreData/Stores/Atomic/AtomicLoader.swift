/// Builds the rows of a whole file, object by object, in the order of the file.
///
/// For each object call `begin`, then the builder's setters and `relate`, then `end`. Call `finish` after the last one,
/// because the entities of destinations are known only when all objects are.
struct AtomicLoader: ~Copyable {
  let layouts: ModelLayouts
  /// The entities that the store holds.
  let held: [EntityLayout]
  var builder = RowBuilder()

  /// A to-one relationship of a row.
  private struct Reference {
    let row: Int32
    let property: Int32
    let key: Int64
  }

  /// A to-many relationship of a row, whose keys are a range of `members`.
  private struct List {
    let row: Int32
    let property: Int32
    let start: Int
    let end: Int
  }

  private var rows = ContiguousArray<RowSnapshot>()
  private var rowByKey: [Int64: Int32] = [:]
  private var references = ContiguousArray<Reference>()
  private var lists = ContiguousArray<List>()
  private var members = ContiguousArray<Int64>()
  private var sides = RelationshipSides()
  private var current: EntityLayout?
  private var currentKey: Int64 = 0
  private var lastKey: Int64 = 0

  init(_ layouts: ModelLayouts, _ held: [EntityLayout]) {
    self.layouts = layouts
    self.held = held
  }

  mutating func begin(_ layout: EntityLayout, key: Int64) throws {
    guard key > 0, rowByKey.updateValue(Int32(rows.count), forKey: key) == nil else {
      throw AtomicProblem.damaged(line: nil, "there are two objects of the number \(key)")
    }
    if layout.isAbstract {
      throw AtomicProblem.damaged(line: nil, "there is an object of \(layout.name), which is abstract")
    }
    lastKey = max(lastKey, key)
    (current, currentKey) = (layout, key)
    builder.beginRow(layout)
  }

  /// Sets the destinations of one relationship of the current object.
  mutating func relate(_ property: LayoutProperty, _ keys: some Collection<Int64>) throws {
    guard let first = keys.first else { return }
    if property.kind == .toMany {
      let start = members.count
      members.append(contentsOf: keys)
      lists.append(
        List(row: Int32(rows.count), property: Int32(property.index), start: start, end: members.count))
      return
    }
    guard keys.count == 1 else {
      throw AtomicProblem.damaged(
        line: nil, "\(current!.name).\(property.name) is a to-one relationship, but has \(keys.count) destinations")
    }
    builder.setDestination(RowReference(entity: property.destination, key: first), property)
    references.append(Reference(row: Int32(rows.count), property: Int32(property.index), key: first))
  }

  mutating func end() {
    // The file has no row versions, so they start at 1 each time it is read.
    rows.append(builder.finishRow(key: currentKey, version: 1, entity: current!.index))
  }

  /// All rows, and the highest of their keys.
  mutating func finish() throws -> (rows: MemoryRows, lastKey: Int64) {
    try resolveReferences()
    let lists = try resolvedLists()
    try sides.check(layouts)
    var loaded = MemoryRows(layouts)
    // Tables are fastest to fill in the order of their keys.
    for row in rows.sorted(on: \.key) { loaded.load(row) }
    for list in lists { loaded.load(list.members, of: list.property, owner: list.owner) }
    return (loaded, lastKey)
  }

  private func property(_ row: Int32, _ index: Int32) -> LayoutProperty {
    layouts[rows[Int(row)].entity].properties[Int(index)]
  }

  /// The object with a key; nil if the file has none, as after a deletion with the rule "no action".
  private func destination(_ key: Int64, property: LayoutProperty, owner: RowSnapshot) throws -> RowReference? {
    guard let row = rowByKey[key] else { return nil }
    let found = rows[Int(row)].reference
    guard property.destinations.contains(Int(found.entity)) else {
      throw AtomicProblem.damaged(
        line: nil,
        "\(layouts[owner.entity].name).\(property.name) of the object \(owner.key) leads to the "
          + "object \(key), which is a \(layouts[Int(found.entity)].name)")
    }
    return found
  }

  /// Sets the actual entities of the rows' destinations, and removes references to missing objects.
  private mutating func resolveReferences() throws {
    for reference in references {
      let property = property(reference.row, reference.property)
      let row = rows[Int(reference.row)]
      let found = try destination(reference.key, property: property, owner: row)
      if let found {
        sides.note(row.reference, property: property, member: found)
        if Int(found.entity) == property.destination { continue }
      }
      builder.beginRow(from: row)
      if let found { builder.setDestination(found, property) } else { builder.setNull(slot: property.slot) }
      rows[Int(reference.row)] = builder.finishRow(key: row.key, version: 1, entity: row.entity)
    }
  }

  private mutating func resolvedLists() throws -> [(
    owner: RowReference, property: LayoutProperty, members: [RowReference]
  )] {
    try lists.map { list in
      let property = property(list.row, list.property)
      let owner = rows[Int(list.row)]
      var found: [RowReference] = []
      found.reserveCapacity(list.end - list.start)
      for key in members[list.start..<list.end] {
        guard let member = try destination(key, property: property, owner: owner) else { continue }
        sides.note(owner.reference, property: property, member: member)
        found.append(member)
      }
      if property.isOrdered, Set(found).count < found.count {
        throw AtomicProblem.damaged(
          line: nil,
          "\(layouts[owner.entity].name).\(property.name) of the object \(owner.key) has a member twice")
      }
      return (owner.reference, property, found)
    }
  }
}

/// Checks that both sides of each relationship agree. It compares sums of hashes, which needs one pass and no order.
private struct RelationshipSides {
  private struct Name: Hashable {
    let entity: Int
    let key: Int

    init(_ property: LayoutProperty) {
      entity = property.declaringEntity
      key = property.keyNumber
    }
  }

  private struct Side {
    let property: LayoutProperty
    /// The sum of the hashes of all pairs of owner and member.
    var forth: UInt64 = 0
    /// The sum for the same pairs, reversed.
    var back: UInt64 = 0
    var count = 0

    mutating func add(_ forth: UInt64, _ back: UInt64) {
      self.forth &+= forth
      self.back &+= back
      count += 1
    }
  }

  private var sides: [Name: Side] = [:]

  mutating func note(_ owner: RowReference, property: LayoutProperty, member: RowReference) {
    guard property.inverse != nil else { return }
    let (a, b) = (UInt64(bitPattern: owner.key), UInt64(bitPattern: member.key))
    sides[Name(property), default: Side(property: property)].add(
      RelationshipSides.mix(a, b), RelationshipSides.mix(b, a))
  }

  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var hash = (a &* 0x9E37_79B9_7F4A_7C15) ^ (b &+ 0xD1B5_4A32_D192_ED03 &+ (a << 7))
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }

  func check(_ layouts: ModelLayouts) throws {
    for side in sides.values {
      guard let inverse = side.property.inverse else { continue }
      let other = sides[Name(inverse)]
      if side.count == other?.count ?? 0, side.forth == other?.back { continue }
      let owner = layouts[side.property.declaringEntity].name
      let destination = layouts[inverse.declaringEntity].name
      throw AtomicProblem.damaged(
        line: nil, "\(owner).\(side.property.name) and its inverse \(destination).\(inverse.name) don't agree")
    }
  }
}
