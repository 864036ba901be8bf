import CoreData
@_spi(Reflection) import Swift

/// How a struct or an enumeration is stored as a composite attribute.
///
/// - An enumeration with raw values has one element, which has the property's name and holds the raw value.
/// - Any other enumeration has an element for each case. It holds a composite of the payload, or the name of a case
///   without payload.
/// - A struct has an element for each stored property. Collections are stored as JSON.
///
/// If the whole value may be nil, so may each part at any depth.
final class ValueShape {
  struct Part {
    indirect enum Kind {
      case simple(NSAttributeType)
      case document
      case shape(ValueShape)
    }
    let name: String
    let type: Any.Type
    let kind: Kind
    let isOptional: Bool
  }

  let type: Any.Type
  let parts: [Part]
  let isEnumeration: Bool
  /// The names of the cases without payload; nil for structs and for enumerations with raw values.
  let caseNames: [String]?
  private let isRaw: Bool

  /// - Parameters:
  ///   - name: the property's name.
  ///   - isOptional: whether the property may be nil.
  convenience init(_ type: Any.Type, named name: String, isOptional: Bool) {
    self.init(type, named: name, within: [], isOptional: isOptional)
  }

  /// - Parameter outer: the types that contain this one.
  fileprivate init(_ type: Any.Type, named name: String, within outer: [Any.Type], isOptional: Bool) {
    self.type = type
    if outer.contains(where: { $0 == type }) {
      misuse(
        MisuseReport(
          "\(type) contains itself, and cannot be stored in columns.", facts: [("Part", name)],
          how: "The parts of a Codable value are columns of its model's table.",
          remedy: "Store an array of it, which is kept as JSON, or a relationship."))
    }
    let cases = EnumerationCase.all(of: type)
    isEnumeration = cases != nil
    if cases != nil, let raw = (type as? any RawRepresentable.Type).map(rawValueType),
      let attribute = AttributeTypes.type(of: raw)
    {
      isRaw = true
      caseNames = nil
      parts = [Part(name: name, type: raw, kind: .simple(attribute), isOptional: true)]
      return
    }
    isRaw = false
    if let cases {
      parts = cases.map { item in
        guard let payload = item.payload else {
          return Part(name: item.name, type: String.self, kind: .simple(.stringAttributeType), isOptional: true)
        }
        let shape = ValueShape(payload: payload, of: type, named: item.name, within: outer + [type])
        return Part(name: item.name, type: type, kind: .shape(shape), isOptional: true)
      }
      caseNames = cases.filter { $0.payload == nil }.map(\.name)
      return
    }
    caseNames = nil
    var fields: [(name: String, type: Any.Type)] = []
    if type == Duration.self {
      // The elements that Apple uses, in the order in which a duration encodes them. Its stored properties differ
      // between Swift versions.
      fields = [("high", Int64.self), ("low", UInt64.self)]
    } else if !(type is AnyObject.Type) {
      ModelAssumption.storedFields.require()
      _ = _forEachField(of: type) { field, _, type, _ in
        fields.append((String(cString: field), type))
        return true
      }
    }
    parts = fields.map { ValueShape.part($0.name, $0.type, within: outer + [type], isOptional: isOptional) }
  }

  private init(payload: [(name: String, type: Any.Type)], of type: Any.Type, named: String, within outer: [Any.Type]) {
    self.type = type
    (isEnumeration, isRaw, caseNames) = (false, false, nil)
    parts = payload.map { ValueShape.part($0.name, $0.type, within: outer, isOptional: true) }
  }

  private static func part(_ name: String, _ declared: Any.Type, within outer: [Any.Type], isOptional: Bool) -> Part {
    let optional = declared as? any OptionalValue.Type
    let type = optional?.wrappedType ?? declared
    let isOptional = isOptional || optional != nil
    if let attribute = AttributeTypes.type(of: type) {
      return Part(name: name, type: type, kind: .simple(attribute), isOptional: isOptional)
    }
    if AttributeTypes.isCollection(type) {
      return Part(name: name, type: type, kind: .document, isOptional: isOptional)
    }
    let shape = ValueShape(type, named: name, within: outer, isOptional: isOptional)
    if shape.parts.isEmpty {
      misuse(
        MisuseReport(
          "\(type), in \(outer.map { "\($0)" }.joined(separator: ", ")), cannot be stored.", facts: [("Part", name)],
          how: "It has no stored properties of simple types.",
          remedy: "Store what it is made from: a name, a number, or data."))
    }
    return Part(name: name, type: type, kind: .shape(shape), isOptional: isOptional)
  }

  func part(named name: String) -> Part? { parts.first { $0.name == name } }

  /// The elements that have values, nested like the composite.
  func dictionary<V: Encodable>(of value: V) throws -> [String: Any] {
    if isRaw, let raw = value as? any RawRepresentable {
      return [parts[0].name: AttributeTypes.boxed(raw.rawValue)]
    }
    let target = PartValues(self)
    try value.encode(to: ShapeEncoder(target: target))
    let values = target.dictionary
    if isEnumeration && !ValueShape.hasValue(values) {
      throw ValueProblem("a case all of whose values are nil cannot be told from no value at all")
    }
    return values
  }

  private static func hasValue(_ values: [String: Any]) -> Bool {
    values.values.contains { ($0 as? [String: Any]).map(hasValue) ?? true }
  }

  func value<V: Decodable>(_: V.Type, from values: [String: Any]) throws -> V {
    if isRaw, let type = V.self as? any RawRepresentable.Type {
      guard let stored = values[parts[0].name], let value = rawRepresentable(type, stored) as? V else {
        let stored = values[parts[0].name].map { "\($0)" } ?? "nil"
        throw ValueProblem("no case has the raw value \(stored)")
      }
      return value
    }
    return try V(from: ShapeDecoder(source: PartValues(self, values)))
  }
}

private func rawValueType(_ type: any RawRepresentable.Type) -> Any.Type {
  func open<R: RawRepresentable>(_: R.Type) -> Any.Type { R.RawValue.self }
  return open(type)
}
private func rawRepresentable<R: RawRepresentable>(_: R.Type, _ stored: Any) -> R? {
  AttributeTypes.value(R.RawValue.self, from: stored).flatMap(R.init(rawValue:))
}

/// Why a value couldn't be taken apart or put together.
struct ValueProblem: Error {
  let what: String
  init(_ what: String) { self.what = what }

  static func words(of error: any Error) -> String {
    switch error {
    case let problem as ValueProblem: problem.what
    case DecodingError.keyNotFound(let key, _): "there is nothing for \"\(key.stringValue)\""
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      context.debugDescription
    default: "\(error)"
    }
  }
}

/// Collects the values of a shape's parts while a value is encoded or decoded.
final class PartValues {
  let shape: ValueShape?
  private(set) var values: [String: Any]
  private var inner: [String: PartValues] = [:]

  /// - Parameter shape: nil for a case without payload, which has no parts.
  init(_ shape: ValueShape?, _ values: [String: Any] = [:]) {
    self.shape = shape
    self.values = values
  }

  var dictionary: [String: Any] { values.merging(inner.mapValues(\.dictionary)) { $1 } }

  func part(_ name: String) throws -> ValueShape.Part {
    guard let part = shape?.part(named: name) else {
      let type = shape.map { "\($0.type)" } ?? "the case"
      throw ValueProblem("\(type) has no stored property \"\(name)\", which its Codable conformance names")
    }
    return part
  }

  func part(at position: Int) throws -> ValueShape.Part {
    guard let shape, position < shape.parts.count else {
      throw ValueProblem("the Codable conformance has more values than there are stored properties")
    }
    return shape.parts[position]
  }

  func set<T: Encodable>(_ value: T, _ part: ValueShape.Part) throws {
    switch part.kind {
    case .simple:
      guard Swift.type(of: value) == part.type else {
        throw ValueProblem("\"\(part.name)\" is a \(part.type), but is encoded as a \(T.self)")
      }
      values[part.name] = AttributeTypes.boxed(value)
    case .document: values[part.name] = try JSONEncoder().encode(value)
    case .shape(let shape): values[part.name] = try shape.dictionary(of: value)
    }
  }

  func value<T: Decodable>(_: T.Type, _ part: ValueShape.Part) throws -> T {
    let stored = values[part.name]
    if case .shape(let shape) = part.kind {
      // A struct whose parts are all nil has no values in its columns, and is decoded from none.
      if stored == nil, shape.isEnumeration { throw ValueProblem("there is nothing for \"\(part.name)\"") }
      return try shape.value(T.self, from: stored as? [String: Any] ?? [:])
    }
    guard let stored else { throw ValueProblem("there is nothing for \"\(part.name)\"") }
    if case .document = part.kind, let data = stored as? Data { return try JSONDecoder().decode(T.self, from: data) }
    guard let value = AttributeTypes.value(T.self, from: stored) else {
      throw ValueProblem("\"\(part.name)\" holds \(stored), which is no \(T.self)")
    }
    return value
  }

  /// The parts to write a case's payload into.
  func opening(_ name: String) -> PartValues {
    guard let part = shape?.part(named: name) else { return PartValues(nil) }
    guard case .shape(let shape) = part.kind else {
      // A case without payload stores its own name.
      values[name] = name
      return PartValues(nil)
    }
    let made = PartValues(shape)
    inner[name] = made
    return made
  }

  /// The parts to read a case's payload from.
  func opened(_ name: String) -> PartValues {
    guard let part = shape?.part(named: name), case .shape(let shape) = part.kind else { return PartValues(nil) }
    return PartValues(shape, values[name] as? [String: Any] ?? [:])
  }
}
