/// Converts between the typed values of the stack and the objects of key-value coding.
extension Value {
  /// The object that key-value coding returns for a property of this kind. Numbers are `NSNumber`, so that they cast to
  /// every Swift number.
  package func boxed(for property: LayoutProperty) -> Any? {
    switch self {
    case .null: return nil
    case .int(let value): return property.kind.boxed(integer: value)
    case .double(let value): return property.kind.boxed(real: value)
    case .date(let value): return value
    case .string(let value): return value
    case .data(let value): return value
    case .uuid(let value): return value
    case .url(let value): return value
    case .decimal(let value): return value
    case .object(let value): return TransformableBox.open(value)
    }
  }

  /// Foundation has one object for each of the two as well, but finding it takes as long as making a string.
  static let boxedTrue = NSNumber(value: true)
  static let boxedFalse = NSNumber(value: false)

  /// Converts an object given to key-value coding. A value of another class, `NSNull` included, is a misuse; the
  /// message names the property, the wanted and the given type. If a number is too large for an integer attribute, its
  /// low bits are kept, as in Apple's framework, which only checks the class.
  init(checking value: Any?, for property: LayoutProperty, of layout: EntityLayout) {
    // Most values have the right type. Finding out whether one is nil in some form costs far more.
    if let value, property.kind != .transformable, property.kind != .undefined,
      let typed = Value(value, for: property)
    {
      self = typed
      return
    }
    guard let value = given(value, for: property, of: layout) else {
      self = .null
      return
    }
    guard let typed = Value(value, for: property) ?? Value(truncating: value, for: property) else {
      misuse(.unacceptable(value, property, of: layout))
    }
    self = typed
  }

  /// The part of a number that an integer attribute keeps if the number does not fit; nil for other attributes and
  /// values.
  private init?(truncating value: Any, for property: LayoutProperty) {
    guard let number = NSNumber.object(for: value) else { return nil }
    guard property.form == .integer, property.kind != .boolean else { return nil }
    self = .int(property.kind.boxed(integer: number.wholePart).int64Value)
  }

  /// nil if the value is not of the attribute's type, or does not fit it.
  init?(_ value: Any, for property: LayoutProperty) {
    switch property.kind {
    case .int16, .int32, .int64: self.init(integer: value, in: property.kind.range)
    case .boolean:
      if let value = exactly(value, Bool.self) {
        self = .int(value ? 1 : 0)
        return
      }
      guard let number = NSNumber.object(for: value) else { return nil }
      self = .int(number.boolValue ? 1 : 0)
    case .double:
      if let value = exactly(value, Double.self) {
        self = .double(value)
        return
      }
      guard let number = NSNumber.object(for: value) else { return nil }
      self = .double(number.doubleValue)
    case .float:
      guard let number = NSNumber.object(for: value) else { return nil }
      self = .double(Double(number.floatValue))
    case .date:
      guard let date = exactly(value, Date.self) ?? (value as? Date) else { return nil }
      self = .date(date)
    case .string:
      guard let string = exactly(value, String.self) ?? (value as? String) else { return nil }
      self = .string(string)
    case .uri:
      guard let url = value as? URL else { return nil }
      self = .url(url)
    case .uuid:
      guard let uuid = value as? UUID else { return nil }
      self = .uuid(uuid)
    case .decimal:
      if let decimal = value as? Decimal {
        self = .decimal(NSDecimalNumber(decimal: decimal))
      } else if let number = value as? NSDecimalNumber {
        self = .decimal(number)
      } else if let number = NSNumber.object(for: value) {
        // Foundation ends the program if an infinite number is converted to a decimal.
        self = .decimal(number.doubleValue.isFinite ? NSDecimalNumber(decimal: number.decimalValue) : .notANumber)
      } else {
        return nil
      }
    case .binary:
      guard let data = value as? Data else { return nil }
      self = .data(data)
    case .transformable, .undefined: self = .object(TransformableBox.close(value))
    case .toOne, .toMany, .fetched, .composite: return nil
    }
  }

  private init?(integer value: Any, in range: ClosedRange<Int64>) {
    // Most numbers are; making an object for the number costs more than the rest.
    if let value = exactInteger(value) {
      guard range.contains(value) else { return nil }
      self = .int(value)
      return
    }
    guard let number = NSNumber.object(for: value), number.hasWholePart, range.contains(number.wholePart) else {
      return nil
    }
    self = .int(number.wholePart)
  }
}

extension SlotKind {
  /// The object for an integer of this kind.
  func boxed(integer value: Int64) -> NSNumber {
    switch self {
    case .boolean: value != 0 ? Value.boxedTrue : Value.boxedFalse
    case .int16: NumberObject.int16(Int16(truncatingIfNeeded: value))
    case .int32: NumberObject.int32(Int32(truncatingIfNeeded: value))
    case .int64, .double, .float, .date, .string, .uri, .uuid, .decimal, .binary, .transformable, .undefined, .toOne,
      .toMany, .fetched, .composite:
      NumberObject.int64(value)
    }
  }

  /// The object that a program gets for a number of the form `real`.
  func boxed(real value: Double) -> Any {
    switch self {
    case .float: NumberObject.float(Float(value))
    case .date: Date(timeIntervalSinceReferenceDate: value)
    case .double, .int16, .int32, .int64, .boolean, .string, .uri, .uuid, .decimal, .binary, .transformable, .undefined,
      .toOne, .toMany, .fetched, .composite:
      NumberObject.double(value)
    }
  }
}

// Inlined by force, as the count of `batchinsert` asks for; see CONTRIBUTING.md.
/// The value, if it has exactly this type; nil otherwise, though a cast may still succeed. Costs a small part of a
/// cast.
@inline(__always)
func exactly<Wanted>(_ value: Any, _ type: Wanted.Type) -> Wanted? {
  func open<Given>(_ given: Given) -> Wanted? {
    Given.self == Wanted.self ? unsafeBitCast(given, to: Wanted.self) : nil
  }
  return _openExistential(value, do: open)
}

/// The value of a Swift integer or Boolean; nil otherwise, though a cast may still succeed.
func exactInteger(_ value: Any) -> Int64? {
  func open<Given>(_ given: Given) -> Int64? {
    withUnsafePointer(to: given) { given in
      if let value = given.exactly(Int.self) { return Int64(value) }
      if let value = given.exactly(Int32.self) { return Int64(value) }
      if let value = given.exactly(Int64.self) { return value }
      if let value = given.exactly(Int16.self) { return Int64(value) }
      return given.exactly(Bool.self).map { $0 ? 1 : 0 }
    }
  }
  return _openExistential(value, do: open)
}

extension UnsafePointer {
  /// The value, if it has exactly this type. For generic code that learns its type at run time: this compares two
  /// addresses, while a cast would inspect both types.
  @inline(__always)
  func exactly<Wanted>(_ type: Wanted.Type) -> Wanted? {
    Pointee.self == type ? UnsafeRawPointer(self).assumingMemoryBound(to: Wanted.self).pointee : nil
  }
}

extension NSNumber {
  private func isOfType(_ letter: Unicode.Scalar) -> Bool {
    UInt8(bitPattern: objCType.pointee) == UInt8(ascii: letter)
  }
  private var isReal: Bool { isOfType("d") || isOfType("f") }

  /// Whether the number without its fraction fits into 64 bits.
  fileprivate var hasWholePart: Bool {
    if isReal { return Int64(exactly: doubleValue.rounded(.towardZero)) != nil }
    return !isOfType("Q") || uint64Value <= UInt64(Int64.max)
  }

  /// The number without its fraction. A larger integer gives its low 64 bits, a larger real number the nearest integer,
  /// and NaN gives 0.
  fileprivate var wholePart: Int64 {
    guard isReal else { return isOfType("Q") ? Int64(truncatingIfNeeded: uint64Value) : int64Value }
    let value = doubleValue.rounded(.towardZero)
    if value.isNaN { return 0 }
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  /// The object for any Swift number; a number object itself, for which the casts below would try one type after the
  /// other.
  fileprivate static func object(for value: Any) -> NSNumber? {
    exactly(value, NSNumber.self) ?? NSNumber(anyNumber: value)
  }

  /// Any Swift number, or a number object.
  convenience init?(anyNumber value: Any) {
    switch value {
    case let value as Int: self.init(value: value)
    case let value as Bool: self.init(value: value)
    case let value as Double: self.init(value: value)
    case let value as Int16: self.init(value: value)
    case let value as Int32: self.init(value: value)
    case let value as Int64: self.init(value: value)
    case let value as Float: self.init(value: value)
    case let value as CGFloat: self.init(value: Double(value))
    case let value as Int8: self.init(value: value)
    case let value as UInt: self.init(value: value)
    case let value as UInt8: self.init(value: value)
    case let value as UInt16: self.init(value: value)
    case let value as UInt32: self.init(value: value)
    case let value as UInt64: self.init(value: value)
    case let value as Decimal: self.init(value: NSDecimalNumber(decimal: value).doubleValue)
    case let value as NSNumber: self.init(value: value.doubleValue)
    default: return nil
    }
  }
}

/// The values of transformables are passed as objects. Swift structures are boxed for that.
final class TransformableBox: NSObject {
  let value: Any

  private init(_ value: Any) { self.value = value }

  static func close(_ value: Any) -> AnyObject {
    if type(of: value) is AnyClass { return value as AnyObject }
    return TransformableBox(value)
  }

  static func open(_ object: AnyObject) -> Any { (object as? TransformableBox)?.value ?? object }
}
