/// A type that a modelled property may have in Swift.
///
/// Generated accessors call `NSManagedObject.managedValue(_:)` and `NSManagedObject.setManagedValue(_:_:)`
/// with the declared type; the conformances choose the typed read and write for it. A property that is declared
/// without `?` and is nil reads as 0, false, "" or an empty collection, as it does in Apple's framework. One that is
/// declared as a class such as `NSNumber`, `NSDate` or `NSArray` reads as an object that says so. Types without such a
/// value trap with a sentence that names the property.
public protocol ManagedValue {
  /// The property's value. If it is nil, returns the type's empty value, or traps.
  static func readManaged(_ object: NSManagedObject, _ key: ManagedKey) -> Self
  /// Sets the property, as a change of the object.
  static func writeManaged(_ value: Self, _ object: NSManagedObject, _ key: ManagedKey)
  /// nil if the property is nil.
  static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self?
  /// Sets the property; nil takes the value away.
  static func writeManagedOptional(_ value: Self?, _ object: NSManagedObject, _ key: ManagedKey)
}

extension NSManagedObject {
  /// The value of a property in its declared type. Generated accessors call it.
  @inlinable @inline(__always)
  public final func managedValue<T: ManagedValue>(_ key: ManagedKey) -> T { T.readManaged(self, key) }

  /// Sets a property from its declared type. Generated accessors call it.
  @inlinable @inline(__always)
  public final func setManagedValue<T: ManagedValue>(_ value: T, _ key: ManagedKey) {
    T.writeManaged(value, self, key)
  }

  /// An enumeration over a scalar attribute.
  public final func managedValue<T: RawRepresentable>(_ key: ManagedKey) -> T where T.RawValue: ManagedValue {
    let raw = T.RawValue.readManaged(self, key)
    guard let value = T(rawValue: raw) else {
      misuse("\(layout.name).\(key.name) holds \(raw), which is not a case of \(T.self).")
    }
    return value
  }

  /// Sets a scalar attribute to the raw value of an enumeration's case.
  public final func setManagedValue<T: RawRepresentable>(_ value: T, _ key: ManagedKey)
  where T.RawValue: ManagedValue {
    T.RawValue.writeManaged(value.rawValue, self, key)
  }

  /// An optional enumeration over a scalar attribute: nil when the attribute is nil, or no case has its value.
  public final func managedValue<T: RawRepresentable>(_ key: ManagedKey) -> T? where T.RawValue: ManagedValue {
    T.RawValue.readManagedOptional(self, key).flatMap(T.init(rawValue:))
  }

  /// Sets a scalar attribute to the raw value of an enumeration's case; nil takes the value away.
  public final func setManagedValue<T: RawRepresentable>(_ value: T?, _ key: ManagedKey)
  where T.RawValue: ManagedValue {
    T.RawValue.writeManagedOptional(value?.rawValue, self, key)
  }

  /// Everything else: a transformable's object.
  @_disfavoredOverload
  public final func managedValue<T>(_ key: ManagedKey) -> T {
    let value = storedAny(key)
    if let typed = value as? T { return typed }
    if value == nil {
      if let none = Optional<Any>.none as? T { return none }
      if let type = T.self as? any NilReadsAsEmpty.Type { return type.init() as! T }
    }
    misuse("\(layout.name).\(key.name) holds \(value.map { "a \(type(of: $0))" } ?? "nil"), not a \(T.self).")
  }

  /// Everything else: sets a transformable's object.
  @_disfavoredOverload
  public final func setManagedValue<T>(_ value: T, _ key: ManagedKey) { storeAny(value, key) }
}

/// Swift's collections: nil reads as an empty one where a transformable is declared without `?`.
private protocol NilReadsAsEmpty { init() }
extension Array: NilReadsAsEmpty {}
extension Dictionary: NilReadsAsEmpty {}
extension Set: NilReadsAsEmpty {}

extension Optional: ManagedValue where Wrapped: ManagedValue {
  /// nil if the property is nil.
  @inlinable
  public static func readManaged(_ object: NSManagedObject, _ key: ManagedKey) -> Wrapped? {
    Wrapped.readManagedOptional(object, key)
  }

  /// Sets the property; nil takes the value away.
  @inlinable
  public static func writeManaged(_ value: Wrapped?, _ object: NSManagedObject, _ key: ManagedKey) {
    Wrapped.writeManagedOptional(value, object, key)
  }

  /// The property's value; never nil itself.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Wrapped?? {
    .some(Wrapped.readManagedOptional(object, key))
  }

  /// Sets the property; either nil takes the value away.
  @inlinable
  public static func writeManagedOptional(_ value: Wrapped??, _ object: NSManagedObject, _ key: ManagedKey) {
    Wrapped.writeManagedOptional(value ?? nil, object, key)
  }
}

/// Types whose nil reads as a value of their own when the property is declared without `?`.
public protocol ManagedValueWithEmpty: ManagedValue {
  /// What nil reads as.
  static var emptyManagedValue: Self { get }
}

extension ManagedValueWithEmpty {
  /// The property's value, or ``emptyManagedValue`` when it is nil.
  @inlinable
  public static func readManaged(_ object: NSManagedObject, _ key: ManagedKey) -> Self {
    readManagedOptional(object, key) ?? emptyManagedValue
  }

  /// Sets the property.
  @inlinable
  public static func writeManaged(_ value: Self, _ object: NSManagedObject, _ key: ManagedKey) {
    writeManagedOptional(value, object, key)
  }
}

/// Integers of every width.
public protocol ManagedInteger: ManagedValueWithEmpty, FixedWidthInteger {}

extension ManagedInteger {
  /// Nil reads as 0.
  @inlinable public static var emptyManagedValue: Self { 0 }

  /// The integer, cut to this type's width; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self? {
    object.storedOptionalInteger(key).map { Self(truncatingIfNeeded: $0) }
  }

  /// Sets the integer, cut to 64 bits; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: Self?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeInteger(value.map { Int64(truncatingIfNeeded: $0) }, key)
  }
}

extension Int: ManagedInteger {}
extension Int8: ManagedInteger {}
extension Int16: ManagedInteger {}
extension Int32: ManagedInteger {}
extension Int64: ManagedInteger {}
extension UInt: ManagedInteger {}
extension UInt8: ManagedInteger {}
extension UInt16: ManagedInteger {}
extension UInt32: ManagedInteger {}
extension UInt64: ManagedInteger {}

extension Bool: ManagedValueWithEmpty {
  /// Nil reads as false.
  public static var emptyManagedValue: Bool { false }

  /// Whether the integer in the row is other than 0; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Bool? {
    object.storedOptionalInteger(key).map { $0 != 0 }
  }

  /// Sets the flag, 1 or 0 in the row; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: Bool?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeInteger(value.map { $0 ? 1 : 0 }, key)
  }
}

extension Double: ManagedValueWithEmpty {
  /// Nil reads as 0.
  public static var emptyManagedValue: Double { 0 }

  /// The number; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Double? {
    object.storedOptionalDouble(key)
  }

  /// Sets the number; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: Double?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeDouble(value, key)
  }
}

extension Float: ManagedValueWithEmpty {
  /// Nil reads as 0.
  public static var emptyManagedValue: Float { 0 }

  /// The number in single precision; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Float? {
    object.storedOptionalDouble(key).map { Float($0) }
  }

  /// Sets the number, kept in double precision; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: Float?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeDouble(value.map { Double($0) }, key)
  }
}

extension CGFloat: ManagedValueWithEmpty {
  /// Nil reads as 0.
  public static var emptyManagedValue: CGFloat { 0 }

  /// The number; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> CGFloat? {
    object.storedOptionalDouble(key).map { CGFloat($0) }
  }

  /// Sets the number; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: CGFloat?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeDouble(value.map { Double($0) }, key)
  }
}

extension String: ManagedValueWithEmpty {
  /// Nil reads as an empty string.
  public static var emptyManagedValue: String { "" }

  /// The string; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> String? {
    object.storedString(key)
  }

  /// Sets the string; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: String?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeString(value, key)
  }
}

extension Date: ManagedValue {
  /// The date, kept as seconds since 2001-01-01 00:00 UTC; nil when the property is nil.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Date? {
    object.storedOptionalDouble(key).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// Sets the date; nil takes it away.
  @inlinable
  public static func writeManagedOptional(_ value: Date?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeDate(value, key)
  }
}

extension ManagedValue {
  /// Types that have no empty value: nil is a misuse, unless `nilInObjectiveC(as:)` has an object for it.
  public static func readManaged(_ object: NSManagedObject, _ key: ManagedKey) -> Self {
    if let value = readManagedOptional(object, key) ?? (nilInObjectiveC(as: Self.self) as? Self) { return value }
    misuse(
      "\(object.layout.name).\(key.name) is nil, but it is declared as \(Self.self) without \"?\": "
        + "declare it as \(Self.self)?, or give the attribute a default value in the model.")
  }

  /// Sets the property.
  public static func writeManaged(_ value: Self, _ object: NSManagedObject, _ key: ManagedKey) {
    writeManagedOptional(value, object, key)
  }

  /// By way of key-value coding, for types that are not on a hot path.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self? {
    object.storedAny(key) as? Self
  }

  /// By way of key-value coding; nil takes the value away.
  public static func writeManagedOptional(_ value: Self?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeAny(value, key)
  }
}

/// An object that answers as nil does in Objective-C, where messages to it give 0 and nothing; what is put into it is
/// lost, as there. Apple's framework gives nil itself to a property that is declared as a class without `?`, and
/// programs ask it for its `intValue` or `count`. nil for types whose answers would be no such values.
private func nilInObjectiveC(as type: Any.Type) -> Any? {
  switch type {
  case is NSDecimalNumber.Type: return NSDecimalNumber.zero
  case is NSNumber.Type: return NSNumber(value: 0)
  case is NSDate.Type: return NSDate(timeIntervalSinceReferenceDate: 0)
  case is NSString.Type: return NSMutableString(string: "")
  case is NSData.Type: return NSMutableData()
  case is NSArray.Type: return NSMutableArray()
  case is NSDictionary.Type: return NSMutableDictionary()
  case is NSSet.Type: return NSMutableSet()
  case is NSOrderedSet.Type: return NSMutableOrderedSet()
  default: return nil
  }
}

extension Data: ManagedValueWithEmpty {
  /// Nil reads as no bytes.
  public static var emptyManagedValue: Data { Data() }
}

extension UUID: ManagedValue {}
extension URL: ManagedValue {}

extension Decimal: ManagedValueWithEmpty {
  /// Nil reads as 0.
  public static var emptyManagedValue: Decimal { 0 }

  /// The decimal number; nil when the property is nil.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Decimal? {
    (object.storedAny(key) as? NSDecimalNumber)?.decimalValue
  }
}

extension NSSet: ManagedValue {
  /// The members of a relationship: for `NSMutableSet` the set of ``NSManagedObject/mutableSetValue(forKey:)``.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self? {
    if self == NSMutableSet.self, object.isToMany(key) { return object.mutableSetValue(forKey: key.name) as? Self }
    return object.storedAny(key) as? Self
  }
}

extension NSOrderedSet: ManagedValue {
  /// The members of a relationship: for `NSMutableOrderedSet` the set of
  /// ``NSManagedObject/mutableOrderedSetValue(forKey:)``.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self? {
    if self == NSMutableOrderedSet.self, object.isToMany(key) {
      return object.mutableOrderedSetValue(forKey: key.name) as? Self
    }
    return object.storedAny(key) as? Self
  }
}

extension NSManagedObject {
  fileprivate final func isToMany(_ key: ManagedKey) -> Bool { layout.property(key)?.kind == .toMany }
}

extension NSNumber: ManagedValue {}
extension NSString: ManagedValue {}
extension NSDate: ManagedValue {}
extension NSData: ManagedValue {}
extension NSUUID: ManagedValue {}
extension NSURL: ManagedValue {}
extension NSArray: ManagedValue {}
extension NSDictionary: ManagedValue {}

extension Set: ManagedValue where Element: NSManagedObject {
  /// The members of an unordered to-many relationship.
  public static func readManaged(_ object: NSManagedObject, _ key: ManagedKey) -> Set<Element> {
    readManagedOptional(object, key) ?? []
  }

  /// The members; nil where the relationship holds no set.
  @inlinable
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Set<Element>? {
    guard let members = object.storedMembers(key) else { return nil }
    var set = Set<Element>(minimumCapacity: members.count)
    for member in members {
      // A cast would ask the runtime; nearly all are of the declared class itself.
      let isOwn = ObjectIdentifier(type(of: member)) == ObjectIdentifier(Element.self)
      set.insert(isOwn ? unsafeDowncast(member, to: Element.self) : member as! Element)
    }
    return set
  }

  /// Makes these the members; nil means no members.
  public static func writeManagedOptional(_ value: Set<Element>?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeAny(value.map { NSSet(array: Array($0)) }, key)
  }
}

/// A fetched property; empty where there is no context to fetch in.
extension Array: ManagedValue, ManagedValueWithEmpty where Element: NSManagedObject {
  /// Without a context there is nothing to fetch: no objects.
  public static var emptyManagedValue: [Element] { [] }

  /// The objects that the fetched property finds.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> [Element]? {
    object.storedAny(key) as? [Element]
  }
}

extension NSManagedObject: ManagedValue {
  /// The destination of a to-one relationship. Traps if it is of another class than the declared one.
  public static func readManagedOptional(_ object: NSManagedObject, _ key: ManagedKey) -> Self? {
    guard let destination = object.storedObject(key) else { return nil }
    guard let typed = destination as? Self else {
      misuse(
        "\(object.layout.name).\(key.name) leads to a \(type(of: destination)), but is declared as \(Self.self): "
          + "the model names another class for the entity.")
    }
    return typed
  }

  /// Sets the destination, and the inverse along with it; nil takes it away.
  public static func writeManagedOptional(_ value: NSManagedObject?, _ object: NSManagedObject, _ key: ManagedKey) {
    object.storeObject(value, key)
  }
}
