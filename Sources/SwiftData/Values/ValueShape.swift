import CoreData
@_spi(Reflection) import Swift

/// How a struct or an enumeration is stored as a composite attribute.
///
/// - An enumeration with raw values has one element, which has the property's name and holds the raw value.
/// - Any other enumeration has an element for each case. It holds a composite of the payload, or the name of a case
///   without payload.
/// - A struct has an element for each stored property. Collections are stored as JSON, and so is what can't be taken
///   apart: classes, types that contain themselves, and most of Foundation's.
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
  /// Whether the only part holds the raw value of an enumeration.
  let isRawValue: Bool

  private init(_ type: Any.Type, _ parts: [Part], caseNames: [String]? = nil, isRawValue: Bool = false) {
    self.type = type
    self.parts = parts
    self.caseNames = caseNames
    self.isRawValue = isRawValue
    isEnumeration = isRawValue || caseNames != nil
  }

  /// The name of the element that stands for the whole value: an enumeration's raw value, or the number in a `CGFloat`.
  var soleElement: String? { isRawValue || type == CGFloat.self ? parts.first?.name : nil }

  /// nil for a type that can't be taken apart, or not into parts that are Codable. It is stored as JSON.
  ///
  /// - Parameters:
  ///   - name: the property's name.
  ///   - outer: the types that contain this one.
  ///   - isOptional: whether the property may be nil.
  static func make(_ type: Any.Type, named name: String, within outer: [Any.Type] = [], isOptional: Bool) -> ValueShape?
  {
    if outer.contains(where: { $0 == type }) { return nil }
    if let raw = rawValueType(of: type), let attribute = AttributeTypes.type(of: raw) {
      let part = Part(name: name, type: raw, kind: .simple(attribute), isOptional: true)
      return ValueShape(type, [part], isRawValue: true)
    }
    if let cases = EnumerationCase.all(of: type) {
      if isOfFoundation(type) { return nil }
      var parts: [Part] = []
      for item in cases {
        guard let payload = item.payload else {
          parts.append(
            Part(name: item.name, type: String.self, kind: .simple(.stringAttributeType), isOptional: true))
          continue
        }
        guard let values = made(of: payload, within: outer + [type], isOptional: true) else { return nil }
        parts.append(Part(name: item.name, type: type, kind: .shape(ValueShape(type, values)), isOptional: true))
      }
      if parts.isEmpty { return nil }
      return ValueShape(type, parts, caseNames: cases.filter { $0.payload == nil }.map(\.name))
    }
    guard let fields = fields(of: type), !fields.isEmpty else { return nil }
    return made(of: fields, within: outer + [type], isOptional: isOptional).map { ValueShape(type, $0) }
  }

  /// The type of an enumeration's raw values; nil for other types.
  static func rawValueType(of type: Any.Type) -> Any.Type? {
    func open<R: RawRepresentable>(_: R.Type) -> Any.Type { R.RawValue.self }
    guard let raw = type as? any RawRepresentable.Type, EnumerationCase.all(of: type) != nil else { return nil }
    return open(raw)
  }

  /// The stored properties of a struct; nil for other types.
  private static func fields(of type: Any.Type) -> [(name: String, type: Any.Type)]? {
    // The elements that Apple uses, in the order in which a duration encodes them. Its stored properties differ
    // between Swift versions.
    if type == Duration.self { return [("high", Int64.self), ("low", UInt64.self)] }
    if isOfFoundation(type) { return nil }
    ModelAssumption.storedFields.require()
    guard EnumerationCase.isStruct(type) else { return nil }
    var fields: [(name: String, type: Any.Type)] = []
    _ = _forEachField(of: type) { field, _, type, _ in
      fields.append((String(cString: field), type))
      return true
    }
    return fields
  }

  /// Whether a type is one of Foundation's that encode themselves as something else than their stored properties.
  private static func isOfFoundation(_ type: Any.Type) -> Bool {
    let plain: [Any.Type] = [
      CGFloat.self, CGPoint.self, CGSize.self, CGRect.self, NSRange.self, AffineTransform.self, DateInterval.self,
    ]
    return !plain.contains { $0 == type } && String(reflecting: type).hasPrefix("Foundation")
  }

  /// nil if a part is not Codable.
  private static func made(
    of fields: [(name: String, type: Any.Type)], within outer: [Any.Type], isOptional: Bool
  ) -> [Part]? {
    var parts: [Part] = []
    for (name, declared) in fields {
      let optional = declared as? any OptionalValue.Type
      let type = optional?.wrappedType ?? declared
      guard type is any (Decodable & Encodable).Type else { return nil }
      let kind: Part.Kind =
        if let attribute = AttributeTypes.type(of: type) {
          .simple(attribute)
        } else if !AttributeTypes.isCollection(type),
          let shape = make(type, named: name, within: outer, isOptional: isOptional || optional != nil)
        {
          .shape(shape)
        } else {
          .document
        }
      parts.append(Part(name: name, type: type, kind: kind, isOptional: isOptional || optional != nil))
    }
    return parts
  }

  /// The key paths of all parts that are no shapes themselves.
  var keyPaths: [String] {
    parts.flatMap { part in
      if case .shape(let shape) = part.kind { shape.keyPaths.map { "\(part.name).\($0)" } } else { [part.name] }
    }
  }

  /// Whether some part is nil in every value, as those of the other cases of an enumeration are. No constraint makes
  /// such values unique, because nil is never equal to nil there.
  var alwaysHasNil: Bool {
    isEnumeration && !isRawValue
      || parts.contains { part in if case .shape(let shape) = part.kind { shape.alwaysHasNil } else { false } }
  }

  /// The part of a stored property, or of a property with a wrapper, whose stored property begins with `_`.
  func part(named name: String) -> Part? {
    parts.first { $0.name == name } ?? parts.first { $0.name.hasPrefix("_") && $0.name.dropFirst() == name }
  }

  /// The elements that have values, nested like the composite.
  func dictionary<V: Encodable>(of value: V) throws -> [String: Any] {
    if isRawValue, let raw = value as? any RawRepresentable {
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
    let decoder = ShapeDecoder(source: PartValues(self, values))
    guard isRawValue, let type = V.self as? any RawRepresentable.Type else { return try V(from: decoder) }
    let stored = values[parts[0].name]
    if let value = stored.flatMap({ rawRepresentable(type, $0) }) as? V { return value }
    // The type's own `init(from:)` may know what to do with the raw value of a case that another version had.
    do { return try V(from: decoder) } catch {
      throw ValueProblem("no case has the raw value \(stored.map { "\($0)" } ?? "nil")")
    }
  }
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

/// An optional of a type that can be decoded.
private protocol DecodableOptional {
  /// What is stored of a part, as an optional; nil if nothing is.
  static func decoded(from values: PartValues, _ part: ValueShape.Part) throws -> Any
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  static func decoded(from values: PartValues, _ part: ValueShape.Part) throws -> Any {
    try values.values[part.name] == nil ? Wrapped?.none as Any : Wrapped?.some(values.value(Wrapped.self, part)) as Any
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

  /// What is stored of the part of a name.
  func stored(_ name: String) -> Any? { shape?.part(named: name).flatMap { values[$0.name] } }

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

  /// An optional is what it holds, and nil is no value: a conformance written by hand may well pass one to `encode`.
  func set<T: Encodable>(_ value: T, _ part: ValueShape.Part) throws {
    if value is any OptionalValue {
      if let held = unwrapped(value) as? any Encodable { try set(held, part) }
      return
    }
    switch part.kind {
    case .simple:
      guard Swift.type(of: value) == part.type else {
        throw ValueProblem("\"\(part.name)\" is a \(part.type), but is encoded as a \(T.self)")
      }
      values[part.name] = AttributeTypes.boxed(value)
    case .document: values[part.name] = try StoredJSON.data(value)
    case .shape(let shape): values[part.name] = try shape.dictionary(of: value)
    }
  }

  func value<T: Decodable>(_: T.Type, _ part: ValueShape.Part) throws -> T {
    let stored = values[part.name]
    if let optional = T.self as? any DecodableOptional.Type {
      return try optional.decoded(from: self, part) as! T
    }
    if case .shape(let shape) = part.kind {
      // A struct whose parts are all nil has no values in its columns, and is decoded from none.
      if stored == nil, shape.isEnumeration { throw ValueProblem("there is nothing for \"\(part.name)\"") }
      return try shape.value(T.self, from: stored as? [String: Any] ?? [:])
    }
    guard let stored else { throw ValueProblem("there is nothing for \"\(part.name)\"") }
    if case .document = part.kind, let data = stored as? Data { return try StoredJSON.value(T.self, data) }
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
    inner[part.name] = made
    return made
  }

  /// The parts to read a case's payload from.
  func opened(_ name: String) -> PartValues {
    guard let part = shape?.part(named: name), case .shape(let shape) = part.kind else { return PartValues(nil) }
    return PartValues(shape, values[part.name] as? [String: Any] ?? [:])
  }
}
