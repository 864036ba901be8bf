/// Puts the values of a custom store's node into a row. Throws an error for values that don't belong there.
final class NodeEncoder {
  private var builder = RowBuilder()
  private let layouts: ModelLayouts
  private let store: NSPersistentStore
  private let method: StaticString

  /// - Parameter method: the method that returned the nodes, for errors.
  init(_ layouts: ModelLayouts, _ store: NSPersistentStore, method: StaticString) {
    self.layouts = layouts
    self.store = store
    self.method = method
  }

  /// - Parameters:
  ///   - value: the node's value for an attribute or a to-one relationship; `NSNull` or nil for none. For a composite
  ///     attribute it is the dictionary.
  func row(
    _ layout: EntityLayout, key: Int64, version: Int64, value: (LayoutProperty) throws -> Any?
  ) throws -> RowSnapshot {
    builder.beginRow(layout)
    for property in layout.slots where property.word >= 0 {
      try set(try stated(property, of: layout, value), as: property, of: layout)
    }
    return builder.finishRow(key: key, version: version, entity: layout.index)
  }

  /// A written row, with what a node says of it: values of its own, and the version.
  func row(_ row: RowSnapshot, _ layout: EntityLayout, takingFrom node: NSIncrementalStoreNode) throws -> RowSnapshot {
    builder.beginRow(layout)
    for property in layout.slots where property.word >= 0 {
      guard let whole = node.value(for: (property.composite ?? property).description) else {
        builder.copy(property, from: row)
        continue
      }
      try set(try stated(property, of: layout) { _ in whole }, as: property, of: layout)
    }
    return builder.finishRow(
      key: row.key, version: Int64(truncatingIfNeeded: node.version), entity: layout.index)
  }

  /// Nothing, for nil and `NSNull`.
  private func set(_ value: Any?, as property: LayoutProperty, of layout: EntityLayout) throws {
    guard let found = unwrapped(value), !(found is NSNull) else { return }
    if property.kind == .toOne {
      builder.setDestination(try destination(found, property, of: layout), property)
    } else {
      try set(found, property, of: layout)
    }
  }

  private func stated(
    _ property: LayoutProperty, of layout: EntityLayout, _ value: (LayoutProperty) throws -> Any?
  ) throws -> Any? {
    guard let composite = property.composite else { return try value(property) }
    guard let whole = unwrapped(try value(composite)), !(whole is NSNull) else { return nil }
    guard composite.elementValues(of: whole) != nil else { throw unfit(whole, composite, of: layout) }
    return property.element(of: whole)
  }

  private func unfit(_ value: Any, _ property: LayoutProperty, of layout: EntityLayout) -> Failure {
    store.broken(
      method, "\(layout.name).\(property.name) can't be \(Failure.words(for: value)) of the type \(type(of: value))")
  }

  private func set(_ value: Any, _ property: LayoutProperty, of layout: EntityLayout) throws {
    if property.kind == .transformable || property.kind == .undefined {
      guard property.kind == .transformable else { return }
      builder.set(.data(try property.attribute.storedData(ofTransformable: value)), property)
      return
    }
    guard let typed = Value(value, for: property) else { throw unfit(value, property, of: layout) }
    builder.set(typed, property)
  }

  private func destination(_ value: Any, _ property: LayoutProperty, of layout: EntityLayout) throws -> RowReference {
    guard let id = (value as? NSManagedObjectID) ?? (value as? NSAtomicStoreCacheNode)?.objectID else {
      throw store.broken(
        method, "the relationship \(layout.name).\(property.name) leads to a value of the type \(type(of: value))")
    }
    return try reference(id, property, of: layout)
  }

  /// The row for an id that a relationship leads to.
  func reference(_ id: NSManagedObjectID, _ property: LayoutProperty, of layout: EntityLayout) throws -> RowReference {
    guard let reference = store.reference(of: id, layouts), property.destinations.contains(Int(reference.entity)) else {
      throw store.broken(
        method, "the relationship \(layout.name).\(property.name) can't lead to \(id), an id of \(id.layout.name)")
    }
    return reference
  }
}

extension NSPersistentStore {
  /// The row for an id of this store; nil for ids of other stores.
  final func reference(of id: NSManagedObjectID, _ layouts: ModelLayouts) -> RowReference? {
    guard id.key > 0, id.storeIdentity === identity || id.storeIdentity?.uuid == identity.uuid,
      let layout = layouts.layout(of: id.entity)
    else { return nil }
    return RowReference(entity: layout.index, key: id.key)
  }
}

/// The elements of a collection that a store's method returned; nil if it isn't one.
func elements(ofCollection value: Any) -> [Any]? {
  switch value {
  case let array as [Any]: array
  case let set as NSSet: set.allObjects
  case let set as NSOrderedSet: set.array
  case let set as Set<AnyHashable>: set.map(\.base)
  case let array as NSArray: array.map { $0 }
  default: nil
  }
}
