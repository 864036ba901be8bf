/// Works out the tables and columns of a store from its model and, for an existing file, from the file's schema.
///
/// A pure function: it gets the file's schema as an ``ExistingSchema``.
///
/// The rules, in the order in which names are given out:
/// 1. table: `Z` and the root entity's name in capitals; a hierarchy shares it;
/// 2. column: `Z` and the property's name in capitals; a second property of that name in the table gets a number.
///    Entities come in the order of Z_ENT; in each, first its attributes by name, then its to-one relationships. A
///    composite attribute has a column for each element, named after the element alone, in the order of the elements;
/// 3. beside a foreign key: `Z<n>_REL` if the declared destination n has subentities, `Z_FOK_REL` if the inverse is
///    ordered;
/// 4. to-many without inverse: a hidden key `Z<n>REL` in the destination's table, where n is the owner;
/// 5. many-to-many: a join table, see `newJoinTable`;
/// 6. an inverse that does not name the relationship as its own inverse: the members of the to-many relationship are
///    found by the inverse's key if the inverse is a to-one; otherwise the relationship has a join table of its own.
package struct SchemaPlanner {
  private let layouts: ModelLayouts
  private let members: [EntityLayout]
  private let existing: ExistingSchema?
  /// Whether long values may go into external files.
  private let keepsFiles: Bool
  /// Z_ENT by layout index; 0 for entities outside the configuration.
  private var numbers: [Int]
  private var slots: [[SlotColumn?]]
  private var toMany: [[ToManyStorage]]
  private var columnNames: [Int: UniqueNames] = [:]
  /// The columns of the file's tables, by root index; empty for a new file.
  private var storedColumns: [Int: [String]] = [:]
  private var joinNames = UniqueNames()
  private(set) var joins: [JoinTable] = []
  /// The planned tables, by root index.
  private(set) var tables: [Int: TablePlan] = [:]

  /// - Parameters:
  ///   - configuration: nil for all entities.
  ///   - existing: the file's schema; nil for a new file.
  ///   - keepsFiles: whether long values may go into external files.
  package static func plan(
    _ layouts: ModelLayouts, configuration: String?, existing: ExistingSchema?, keepsFiles: Bool = true
  ) throws -> SchemaPlan {
    var planner = try SchemaPlanner(
      layouts, configuration: configuration, existing: existing, keepsFiles: keepsFiles)
    return try planner.run()
  }

  private init(
    _ layouts: ModelLayouts, configuration: String?, existing: ExistingSchema?, keepsFiles: Bool
  ) throws {
    self.layouts = layouts
    self.existing = existing
    self.keepsFiles = keepsFiles
    guard let entities = layouts.model.entitiesInStoreOrder(forConfigurationName: configuration) else {
      throw Failure.unknownConfiguration(
        name: configuration ?? "", configurations: layouts.model.namedConfigurations)
    }
    members = entities.compactMap { layouts.layout(of: $0) }
    numbers = Array(repeating: 0, count: layouts.layouts.count)
    slots = layouts.layouts.map { Array(repeating: nil, count: $0.slots.count) }
    toMany = layouts.layouts.map { Array(repeating: .none, count: $0.toMany.count) }
    let stored = try existing?.numbers(of: members)
    for (index, layout) in members.enumerated() {
      numbers[layout.index] = stored?[layout.index] ?? index + 1
    }
  }

  private func isMember(_ index: Int) -> Bool { index >= 0 && numbers[index] != 0 }

  private mutating func run() throws -> SchemaPlan {
    for layout in members { try planColumns(layout) }
    for layout in members { try planToMany(layout) }
    inherit()
    var strangers: Set<Int> = []
    for root in members where root.isRoot && root.hasSubentities {
      let own = members.filter { $0.rootIndex == root.index }.map { Int(numbers[$0.index]) }
      if try existing?.hasUnknownEntities(tables[root.index]!.name, own) ?? false { strangers.insert(root.index) }
    }
    let entities = layouts.layouts.map { layout -> EntitySchema? in
      guard isMember(layout.index) else { return nil }
      return EntitySchema(
        layout: layout, number: numbers[layout.index], table: tables[layout.rootIndex]!.name,
        slots: slots[layout.index], toMany: toMany[layout.index], sharesTable: layout.root.hasSubentities,
        hasUnknownEntities: strangers.contains(layout.rootIndex))
    }
    let schema = StoreSchema(layouts: layouts, entities: entities, joins: joins)
    let roots = members.filter(\.isRoot)
    return SchemaPlan(schema: schema, tables: roots.map { tables[$0.index]! })
  }

  // Columns.

  /// Plans the columns of the properties that the entity itself declares.
  private mutating func planColumns(_ layout: EntityLayout) throws {
    let root = layout.rootIndex
    if layout.isRoot {
      var name = SQLName.quoted(SQLName.table(layout))
      if let existing {
        let stored = existing.storedName(ofNumber: numbers[layout.index])
        guard let found = existing.table(ofRoot: layout.name, stored) else {
          throw existing.misfit(name, "there is no such table")
        }
        name = found
        storedColumns[root] = existing.columns(of: found)
      }
      tables[root] = TablePlan(name: name, root: layout)
      columnNames[root] = UniqueNames(["Z_PK", "Z_ENT", "Z_OPT"], minimumCapacity: 2 * layout.slots.count)
    }
    for property in layout.slots where property.declaringEntity == layout.index && !property.isTransient {
      if property.kind == .toOne {
        try planForeignKey(property, of: layout)
      } else {
        guard property.kind != .undefined else {
          throw Failure.unsupportedFeature(
            "Storing \(layout.name).\(property.name), an attribute of the type "
              + property.attribute.attributeType.modelName)
        }
        let name = try columnName(SQLName.column(property), in: root, for: property, of: layout)
        tables[root]!.columns.append(
          TablePlan.Column(name: name, type: property.kind.column, entity: layout.index))
        slots[layout.index][property.slot] = SlotColumn(
          property: property, name: name,
          isTagged: keepsFiles && property.kind == .binary && property.attribute.allowsExternalBinaryDataStorage,
          mayHaveTag: keepsFiles && property.mayHaveTag)
      }
    }
  }

  private mutating func planForeignKey(_ property: LayoutProperty, of layout: EntityLayout) throws {
    guard isMember(property.destination) else { return }
    let root = layout.rootIndex
    let plain = property.name.uppercased()
    var columns = SlotColumn(
      property: property, name: try columnName("Z" + plain, in: root, for: property, of: layout))
    if property.isPolymorphic {
      let wanted = "Z\(numbers[property.destination])_\(plain)"
      columns.entityName = try columnName(wanted, in: root, for: property, of: layout) {
        SQLName.matches($0, prefix: "Z", rest: "_" + plain)
      }
    }
    if let inverse = property.inverse, inverse.kind == .toMany, inverse.isOrdered {
      columns.orderName = try columnName("Z_FOK_" + plain, in: root, for: property, of: layout)
    }
    slots[layout.index][property.slot] = columns
    tables[root]!.foreignKeys.append(columns.name)
    for name in [columns.name, columns.entityName].compactMap({ $0 }) {
      tables[root]!.columns.append(TablePlan.Column(name: name, type: .integer, entity: layout.index))
    }
    if let name = columns.orderName {
      tables[root]!.columns.append(
        TablePlan.Column(name: name, type: .integer, isOrder: true, entity: layout.index))
    }
  }

  /// A column name that is not yet used in a table. For a new file it is the wanted name, with a number if necessary;
  /// for an existing file it is the matching name in the file.
  private mutating func columnName(
    _ wanted: String, in root: Int, for property: LayoutProperty, of layout: EntityLayout,
    alternative: ((String) -> Bool)? = nil
  ) throws -> String {
    guard let columns = storedColumns[root] else {
      return SQLName.quoted(columnNames[root]!.name(wanted))
    }
    // A numbered name counts only if the plain one is already taken.
    for number in 0...columns.count {
      let name = SQLName.quoted(number == 0 ? wanted : wanted + "\(number)")
      if columns.contains(name), columnNames[root]!.take(name) { return name }
    }
    if let alternative {
      for name in columns where alternative(name) && columnNames[root]!.take(name) { return name }
    }
    throw existing!.misfit(tables[root]!.name, "there is no column \(wanted) for \(layout.name).\(property.name)")
  }

  // To-many relationships.

  private mutating func planToMany(_ layout: EntityLayout) throws {
    for property in layout.toMany where property.declaringEntity == layout.index && !property.isTransient {
      guard isMember(property.destination) else { continue }
      let destination = layouts[property.destination]
      let table = tables[destination.rootIndex]!.name
      guard let inverse = property.inverse ?? property.oneSidedInverse, !inverse.isTransient else {
        toMany[layout.index][property.toManyIndex] = try hiddenKey(property, of: layout, in: destination)
        continue
      }
      if inverse.kind == .toOne {
        let declaring = layouts[inverse.declaringEntity]
        guard let key = slots[declaring.index][declaring.property(named: inverse.name)!.slot] else { continue }
        toMany[layout.index][property.toManyIndex] = .foreignKey(
          table: table, column: key.name, order: property.isOrdered ? key.orderName : nil)
      } else {
        try planJoin(property, of: layout, inverse: inverse)
      }
    }
  }

  private mutating func hiddenKey(
    _ property: LayoutProperty, of layout: EntityLayout, in destination: EntityLayout
  ) throws -> ToManyStorage {
    let root = destination.rootIndex
    let plain = property.name.uppercased()
    let wanted = "Z\(numbers[layout.index])\(plain)"
    let name = try columnName(wanted, in: root, for: property, of: layout) {
      SQLName.matches($0, prefix: "Z", rest: plain) && !$0.hasPrefix("Z_")
    }
    var order: String?
    if property.isOrdered {
      order = try columnName("Z_FOK_" + wanted.dropFirst(), in: root, for: property, of: layout)
    }
    tables[root]!.foreignKeys.append(name)
    for column in [name, order].compactMap({ $0 }) {
      tables[root]!.columns.append(
        TablePlan.Column(name: column, type: .integer, entity: layouts.layouts.count))
    }
    return .hiddenKey(table: tables[root]!.name, column: name, order: order)
  }

  // Join tables.

  /// Plans the join table when it comes to the side that names it, and gives each side its view of the table.
  private mutating func planJoin(_ property: LayoutProperty, of layout: EntityLayout, inverse: LayoutProperty) throws {
    let other = layouts[inverse.declaringEntity]
    let otherProperty = other.property(named: inverse.name)!
    let isSelfInverse = other === layout && otherProperty === property
    // If the inverse does not name this relationship as its own inverse, the relationship has a table for itself.
    let isOneSided = property.inverse == nil
    guard isSelfInverse || isOneSided || isNaming(property, layout: layout, other: otherProperty, otherLayout: other)
    else { return }

    let (first, second) = (Int(numbers[layout.index]), Int(numbers[other.index]))
    let (mine, theirs) = (property.name.uppercased(), otherProperty.name.uppercased())
    let end = JoinEnds(
      naming: first, other: second, relationship: mine, inverse: theirs,
      isOrdered: property.isOrdered, isInverseOrdered: !isOneSided && otherProperty.isOrdered,
      isSymmetric: isSelfInverse)
    let table = try existing.map { try $0.joinTable(end) } ?? newJoinTable(end)
    joins.append(table)
    tables[layout.rootIndex]!.joins.append(table)
    toMany[layout.index][property.toManyIndex] = .join(
      JoinSide(
        table: table, owner: table.first, member: table.second, order: table.secondOrder, isNaming: true))
    if !isSelfInverse && !isOneSided {
      toMany[other.index][otherProperty.toManyIndex] = .join(
        JoinSide(
          table: table, owner: table.second, member: table.first, order: table.firstOrder, isNaming: false))
    }
  }

  /// Whether the join table has this relationship's name. Of two entities, the one with the lower number names it; of
  /// two relationships of one entity, the later by name.
  private func isNaming(
    _ property: LayoutProperty, layout: EntityLayout, other: LayoutProperty, otherLayout: EntityLayout
  ) -> Bool {
    if layout !== otherLayout { return numbers[layout.index] < numbers[otherLayout.index] }
    return property.name > other.name
  }

  private mutating func newJoinTable(_ ends: JoinEnds) -> JoinTable {
    // A name that a column of an earlier join table has gets a number.
    let first = joinNames.name("Z_\(ends.naming)\(ends.inverse)")
    let second =
      ends.isSymmetric ? JoinTable.reflexive : joinNames.name("Z_\(ends.other)\(ends.relationship)")
    func order(_ column: String) -> String { SQLName.quoted(JoinTable.orderColumn(of: column)) }
    return JoinTable(
      name: SQLName.quoted("Z_\(ends.naming)\(ends.relationship)"), first: SQLName.quoted(first),
      second: SQLName.quoted(second), firstOrder: ends.isInverseOrdered ? order(first) : nil,
      secondOrder: ends.isOrdered ? order(second) : nil, isSymmetric: ends.isSymmetric, keepsPairsOnce: true)
  }

  /// Gives subentities the columns and to-many storage of their ancestors' properties.
  private mutating func inherit() {
    for layout in members where layout.superIndex >= 0 {
      for property in layout.slots where property.declaringEntity != layout.index {
        let parent = layouts[property.declaringEntity]
        guard let column = slots[parent.index][parent.property(named: property.name)!.slot] else { continue }
        slots[layout.index][property.slot] = SlotColumn(
          property: property, name: column.name, entityName: column.entityName, orderName: column.orderName,
          isTagged: column.isTagged, mayHaveTag: column.mayHaveTag)
      }
      for property in layout.toMany where property.declaringEntity != layout.index {
        let parent = layouts[property.declaringEntity]
        toMany[layout.index][property.toManyIndex] =
          toMany[parent.index][parent.property(named: property.name)!.toManyIndex]
      }
    }
  }
}

/// The two ends of a many-to-many relationship, from which names are made.
struct JoinEnds {
  /// The Z_ENT of the entity that names the table; `other` is that of the other entity.
  var naming: Int
  var other: Int
  /// The name in capitals, like that of `inverse`.
  var relationship: String
  var inverse: String
  var isOrdered: Bool
  var isInverseOrdered: Bool
  var isSymmetric: Bool
}
