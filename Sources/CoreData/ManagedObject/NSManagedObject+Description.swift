/// An object's description in logs.
extension NSManagedObject {
  /// The values in the order of their names. Other objects are shown by their ids, since they may lead back to this
  /// one.
  final var describedValues: String {
    let lines = layout.properties.compactMap { property -> String? in
      if property.composite != nil { return nil }
      switch property.kind.role {
      case .fetched: return nil
      case .toMany: return "    \(property.name) = \(describedMembers(property));"
      case .toOne: return "    \(property.name) = \(destinationID(property).map { "\"\($0)\"" } ?? "nil");"
      case .composite:
        let value = boxedValue(property).map { ($0 as? [String: Any]).map(describedInOrder) ?? "\($0)" }
        return "    \(property.name) = \(value ?? "nil");"
      case .attribute:
        return "    \(property.name) = \(currentValue(property).boxed(for: property).map { "\($0)" } ?? "nil");"
      }
    }
    return "{\n" + lines.joined(separator: "\n") + "\n}"
  }

  private final func memberID(_ reference: RowReference) -> NSManagedObjectID {
    NSManagedObjectID(
      layout: layout.model.layouts[Int(reference.entity)], key: reference.key, store: owner.storeIdentity(store))
  }

  /// The id of a to-one's destination, without making an object of it.
  private final func destinationID(_ property: LayoutProperty) -> NSManagedObjectID? {
    guard let changes, changes.holds(property.slot) else { return row?.destination(property).map(memberID) }
    guard case .object(let object) = changes[property.slot] else { return nil }
    return unsafeDowncast(object, to: NSManagedObject.self).objectID
  }

  /// The ids of a to-many relationship's members, if they have been read.
  private final func describedMembers(_ property: LayoutProperty) -> String {
    guard let state = knownState(of: property), state.base != nil || state.order != nil else {
      return "\"<relationship fault>\""
    }
    var ids: [NSManagedObjectID]
    if let order = state.order {
      ids = order.map(\.objectID)
    } else {
      ids = (state.base ?? []).filter { !state.removed.contains($0) }.map(memberID) + state.added.map(\.objectID)
      if !property.isOrdered { ids.sort { ($0.layout.name, abs($0.key)) < ($1.layout.name, abs($1.key)) } }
    }
    return "(" + ids.map { "\"\($0)\"" }.joined(separator: ", ") + ")"
  }
}

/// A dictionary's values in the order of their names, so that two logs can be compared.
func describedInOrder(_ values: [String: Any]) -> String {
  "{" + values.sorted(on: \.key).map { "\($0.key) = \($0.value)" }.joined(separator: "; ") + "}"
}
