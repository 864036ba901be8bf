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
      if isIdentity(keyPath, of: model) { return [] }
      if let names = described(keyPath, type) { return names }
      throw SwiftDataError.unsupportedKeyPath
    }
    // The number in it is what its column holds.
    if root == CGFloat.self, keyPath == \CGFloat.native { return [] }
    if let name = storedProperty(keyPath, of: root) {
      // Of such a value only the element has a column.
      let type = wrapped(keyPath)
      let raw = ValueShape.rawValueType(of: type).flatMap(AttributeTypes.type)
      if raw == nil, type != CGFloat.self { return [name] }
      let element = ValueShape.make(type, named: name, isOptional: true)?.soleElement
      return [name] + [element].compactMap(\.self)
    }
    if isRawValue(keyPath, of: root) { return [] }
    throw SwiftDataError.unsupportedKeyPath
  }

  /// Where a composite has an element that stands for the whole value, only that has a column.
  private static func names(of property: ModelProperty) -> [String] {
    guard case .composite(let shape) = property.kind, let element = shape.soleElement else { return [property.name] }
    return [property.name, element]
  }

  /// Whether a key path of one step leads to the identity that every model has.
  private static func isIdentity(_ keyPath: AnyKeyPath, of model: any PersistentModel.Type) -> Bool {
    guard Swift.type(of: keyPath).valueType == PersistentIdentifier.self else { return false }
    if identities(of: model).contains(keyPath) { return true }
    guard ModelAssumption.keyPathGetters.isMet else { return true }
    let steps = steps("\(keyPath)")
    return steps.count == 1 && isIdentity(steps[0], of: model)
  }

  private static func isIdentity(_ step: String, of model: any PersistentModel.Type) -> Bool {
    if identities(of: model).contains(where: { steps("\($0)") == [step] }) { return true }
    // Generic code that knows the model as `Identifiable` has a getter of its own.
    guard let name = SymbolNames.property(getterOfStep: step) else { return false }
    return name == "persistentModelID" || name == "id"
  }

  private static func identities(of model: any PersistentModel.Type) -> [AnyKeyPath] {
    func open<Model: PersistentModel>(_: Model.Type) -> [AnyKeyPath] {
      [\Model.persistentModelID, \Model.id as KeyPath<Model, PersistentIdentifier>]
    }
    return open(model)
  }

  /// Whether a key path leads to a collection that is stored as an archive or as JSON, to data, or to an identity that
  /// a property has the JSON of.
  static func isOpaque(_ keyPath: AnyKeyPath) -> Bool {
    let type = wrapped(keyPath)
    if type == PersistentIdentifier.self, let model = Swift.type(of: keyPath).rootType as? any PersistentModel.Type {
      return ModelType.of(model).property(at: keyPath) != nil
    }
    return type == Data.self || AttributeTypes.isCollection(type) && !(type is any ModelArray.Type)
  }

  /// The type that a key path leads to, without `?`.
  private static func wrapped(_ keyPath: AnyKeyPath) -> Any.Type {
    let type = type(of: keyPath).valueType
    return (type as? any OptionalValue.Type)?.wrappedType ?? type
  }

  /// Whether a key path leads to the raw value of an enumeration, which is what its column holds. Two key paths can't
  /// be compared if one is of generic code, so the raw value of every case is.
  private static func isRawValue(_ keyPath: AnyKeyPath, of root: Any.Type) -> Bool {
    func open<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
      guard let keyPath = keyPath as? KeyPath<Raw, Raw.RawValue>, let cases = EnumerationCase.values(of: Raw.self)
      else {
        return false
      }
      return cases.allSatisfy { $0[keyPath: keyPath] as? AnyHashable == $0.rawValue as? AnyHashable }
    }
    guard let raw = root as? any RawRepresentable.Type else { return false }
    return open(raw)
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

  // Under `lock`: such key paths are few, and descriptions slow.
  nonisolated(unsafe) private static var known: [AnyKeyPath: [String]] = [:]
  private static let lock = NSLock()

  private static func described(_ keyPath: AnyKeyPath, _ root: ModelType) -> [String]? {
    if let names = lock.withLock({ known[keyPath] }) { return names }
    let names = read(keyPath, root)
    lock.withLock { known[keyPath] = names }
    return names
  }

  private static func read(_ keyPath: AnyKeyPath, _ root: ModelType) -> [String]? {
    guard ModelAssumption.keyPathGetters.isMet else { return nil }
    var place = Place.model(root)
    var names: [String] = []
    var path = steps("\(keyPath)")
    if TextOrderStep.selector(of: keyPath) != nil { path.removeLast() }
    for step in path {
      switch place {
      case .model(let type):
        guard let property = property(at: step, among: type.properties) else {
          // A model's identity is the object itself.
          guard isIdentity(step, of: type.type) else { return nil }
          place = .identity
          continue
        }
        names += self.names(of: property)
        place = Place(property)
      case .value(let shape) where shape.isRawValue:
        guard SymbolNames.property(getterOfStep: step) == "rawValue" else { return nil }
        place = .end
      case .value(let shape) where shape.soleElement != nil:
        guard step == shape.soleElement else { return nil }
        place = .end
      case .value(let shape):
        guard let part = shape.part(named: step) else { return nil }
        names.append(part.name)
        place = .end
        guard case .shape(let inner) = part.kind else { continue }
        if let element = inner.soleElement { names.append(element) }
        place = .value(inner)
      case .identity, .end: return nil
      }
    }
    if case .identity = place { return names }
    return names.isEmpty ? nil : names
  }

  /// Where the steps so far have led.
  private enum Place {
    case model(ModelType)
    case value(ValueShape)
    case identity
    case end

    init(_ property: ModelProperty) {
      switch property.kind {
      case .toOne(let model), .toMany(let model): self = .model(ModelType.of(model))
      case .composite(let shape): self = .value(shape)
      case .attribute, .archive, .transformable: self = .end
      }
    }
  }

  /// The property that a key path of one step leads to, be it with a `?` behind the step, which makes another key path
  /// of it. For one that none of the recorded key paths equals.
  ///
  /// - Parameter properties: those of the key path's class, or of one below it.
  static func property(at keyPath: AnyKeyPath, among properties: [ModelProperty]) -> ModelProperty? {
    guard ModelAssumption.keyPathGetters.isMet else { return nil }
    let path = steps("\(keyPath)")
    return path.count == 1 ? property(at: path[0], among: properties) : nil
  }

  private static func property(at step: String, among properties: [ModelProperty]) -> ModelProperty? {
    properties.first { steps("\($0.keyPath)") == [step] }
      ?? SymbolNames.property(getterOfStep: step).flatMap { name in properties.first { $0.name == name } }
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
