import CoreData
@_spi(Reflection) import Swift

/// Finds the names of the persistent properties along a key path.
///
/// A key path of one step is compared with those that the macro recorded. A key path of several steps has no such
/// counterpart, but its description contains the address of each step's getter, and so does that of the recorded key
/// paths. A key path of generic code, to what a protocol requires, has a getter of its own; the getter's symbol has the
/// name of the requirement, which the property that fulfils it shares. A program without symbols has none.
enum ModelKeyPaths {
  /// Empty for the key path to a model's identity, because in a predicate that is the object itself.
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

  /// An enumeration with raw values is a composite whose only element has the property's name.
  private static func names(of property: ModelProperty) -> [String] {
    if case .composite(let shape) = property.kind, shape.isRawValue {
      return [property.name, property.name]
    }
    return [property.name]
  }

  /// The name of the stored property of a struct that a key path leads to. Each stored property is an element of a
  /// composite.
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
          ?? SymbolNames.property(getterOfStep: step).flatMap(current.property(named:))
      else { return nil }
      type = property.destination.map(ModelType.of)
      names += self.names(of: property)
    }
    return names.isEmpty ? nil : names
  }

  /// Splits `\Book.<computed 0x1 (Optional<Author>)>?.<computed 0x2 (String)>` into addresses, or the names of stored
  /// properties.
  static func steps(_ description: String) -> [String] {
    // The name of the root type may contain dots and brackets itself.
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
