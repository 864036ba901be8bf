import CoreData
@_spi(Reflection) import Swift

/// The names of persistent properties along key paths.
///
/// A key path of one step equals the one that the macro has written down. One of several steps describes itself, with
/// each getter's address; the key paths that the macro has written down name the same addresses.
enum ModelKeyPaths {
  /// Empty for a key path that leads to a model's identity, which is the object itself.
  static func names(of keyPath: AnyKeyPath) throws -> [String] {
    let root = type(of: keyPath).rootType
    if let model = root as? any PersistentModel.Type {
      let type = ModelType.of(model)
      if let property = type.property(at: keyPath) { return names(of: property) }
      if Swift.type(of: keyPath).valueType == PersistentIdentifier.self { return [] }
      if let names = described(keyPath, type) { return names }
      throw SwiftDataError.unsupportedKeyPath
    }
    if let name = storedProperty(keyPath, of: root) { return [name] }
    throw SwiftDataError.unsupportedKeyPath
  }

  /// The value of an enumeration with raw values is in an element of the property's own name.
  private static func names(of property: ModelProperty) -> [String] {
    if case .composite(let shape) = property.kind, shape.isEnumeration, shape.caseNames == nil {
      return [property.name, property.name]
    }
    return [property.name]
  }

  /// The stored property of a struct, which is a part of a composite.
  private static func storedProperty(_ keyPath: AnyKeyPath, of root: Any.Type) -> String? {
    func open<Root>(_: Root.Type) -> Int? {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
    }
    guard let offset = _openExistential(root, do: open) else { return nil }
    ModelAssumption.storedFields.require()
    let wanted = type(of: keyPath).valueType
    var found: String?
    _ = _forEachField(of: root) { name, fieldOffset, type, _ in
      guard fieldOffset == offset, type == wanted else { return true }
      found = String(cString: name)
      return false
    }
    return found
  }

  private static func described(_ keyPath: AnyKeyPath, _ root: ModelType) -> [String]? {
    guard ModelAssumption.keyPathGetters.isMet else { return nil }
    var type: ModelType? = root
    var names: [String] = []
    for step in steps("\(keyPath)") {
      guard let current = type,
        let property = current.properties.first(where: { steps("\($0.keyPath)") == [step] })
      else { return nil }
      type = property.destination.map(ModelType.of)
      names += self.names(of: property)
    }
    return names.isEmpty ? nil : names
  }

  /// `\Book.<computed 0x1 (Optional<Author>)>?.<computed 0x2 (String)>`: the addresses, or the names of stored ones.
  static func steps(_ description: String) -> [String] {
    // The root's own name may have dots and brackets in it.
    guard let start = description.range(of: ".<computed ")?.lowerBound ?? description.firstIndex(of: ".") else {
      return []
    }
    var rest = description[start...]
    var steps: [String] = []
    while true {
      rest = rest.drop { $0 == "." || $0 == "?" || $0 == "!" }
      if rest.isEmpty { return steps }
      if rest.hasPrefix("<computed ") {
        steps.append(String(rest.dropFirst("<computed ".count).prefix { $0 != " " }))
        var depth = 0
        rest = rest.drop {
          if $0 == "<" { depth += 1 }
          if $0 == ">" { depth -= 1 }
          return depth > 0
        }
        rest = rest.dropFirst()
      } else {
        let name = rest.prefix { $0 != "." && $0 != "?" && $0 != "!" }
        steps.append(String(name))
        rest = rest.dropFirst(name.count)
      }
    }
  }
}
