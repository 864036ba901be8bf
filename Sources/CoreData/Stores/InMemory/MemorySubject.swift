/// The rows that a fetch reads, and the store that they belong to.
final class MemoryView {
  let rows: MemoryRows
  let store: StoreIdentity

  init(_ rows: MemoryRows, _ store: StoreIdentity) {
    self.rows = rows
    self.store = store
  }

  func id(_ reference: RowReference) -> NSManagedObjectID {
    NSManagedObjectID(layout: rows.layouts[Int(reference.entity)], key: reference.key, store: store)
  }
}

/// A row as seen by predicates and sort orders. Relationships lead to other rows.
struct MemorySubject: PredicateSubject {
  let row: RowSnapshot
  let view: MemoryView

  var layout: EntityLayout { view.rows.layouts[row.entity] }

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    let layout = layout
    let property: LayoutProperty
    if key.cacheOwner === layout {
      property = layout.properties[key.slot]
    } else {
      guard let found = layout.property(named: key.name) else { return try ownValue(for: key.name) }
      key.cacheOwner = layout
      key.slot = found.index
      property = found
    }
    if property.isTransient {
      throw Failure.unsupportedFeature(
        "The transient property \(layout.name).\(property.name) in a fetch from a store")
    }
    switch property.kind.role {
    case .toOne:
      guard let row = row.destination(property).flatMap(view.rows.row) else { return .null }
      return .subject(MemorySubject(row: row, view: view))
    case .toMany:
      return .subjects(
        view.rows.members(of: property, owner: row.reference).compactMap { member in
          view.rows.row(member).map { MemorySubject(row: $0, view: view) }
        })
    case .composite:
      return CompositeSubject.value(of: property, attribute)
    case .fetched:
      throw Failure.unsupportedFeature("The fetched property \(layout.name).\(property.name) in a predicate")
    case .attribute: return attribute(property)
    }
  }

  /// A transformable's object stands for its bytes. One that can't be made of them is nil, as it is for a program.
  private func attribute(_ property: LayoutProperty) -> PredicateValue {
    if property.kind == .transformable { return PredicateValue(any: row.object(ofTransformable: property)) }
    return PredicateValue(row.value(property), isBoolean: property.kind == .boolean)
  }

  private func ownValue(for key: String) throws -> PredicateValue {
    switch key {
    case "objectID": return .constant(.object(view.id(row.reference)))
    case "entity": return .constant(.object(layout.entity))
    case "self": return .subject(self)
    default: throw Failure.unknownKeyPath(keyPath: key, entity: layout.name, missing: key)
    }
  }

  func placeOfMany(on path: [PredicateKey]) -> Int? { layout.placeOfMany(on: path) }

  var predicateIdentity: AnyHashable? { view.id(row.reference) }
  var predicateObject: Any { view.id(row.reference) }
}
