import Foundation

/// The name under which a value transformer is registered.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as text.
  public var rawValue: String

  /// A name from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A name from its text.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// False for true, true for anything else; reversible.
  public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
  /// Whether a value is nil.
  public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
  /// Whether a value is not nil.
  public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
  /// Makes objects of any class from keyed archives. Prefer ``secureUnarchiveFromDataTransformerName`` for data from
  /// elsewhere.
  public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
  /// The older name of ``unarchiveFromDataTransformerName``.
  public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
  /// Makes objects of allowed classes from keyed archives; see ``NSSecureUnarchiveFromDataTransformer``.
  public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
    "NSSecureUnarchiveFromData")
}

/// Turns values of one kind into another and, where it can, back. Foundation has the class on Apple's
/// platforms; here it is part of this module.
///
/// A transformer of transformable attributes makes `Data` of an object; one that descends from
/// `NSSecureUnarchiveFromDataTransformer` goes the other way and is used in reverse.
nonisolated open class ValueTransformer: NSObject {
  /// Makes a transformer.
  public override init() {
    super.init()
  }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_transformer")
  convenience init(dynamically: Void) { self.init() }

  /// The class of the results. Default: `NSObject`.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether `reverseTransformedValue(_:)` works. Default: true.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Default: the value itself.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// Default: the result of `transformedValue(_:)`. Traps if reversing is not allowed.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    guard type(of: self).allowsReverseTransformation() else {
      misuse(
        MisuseReport(
          "\(type(of: self)) can't transform in reverse.",
          facts: [("Value", Failure.words(for: value))],
          how: "Its `allowsReverseTransformation()` is false.",
          remedy: "Override it together with `reverseTransformedValue(_:)`."))
    }
    return transformedValue(value)
  }
}

extension ValueTransformer {
  /// A transformer of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_transformer")
  static func makeDynamically() -> ValueTransformer
}

extension ValueTransformer {
  /// Registers a transformer for all threads; nil removes the name.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    ValueTransformerRegistry.set(transformer, name: name.rawValue)
  }

  /// The names under which transformers are registered, the built-in ones included.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    ValueTransformerRegistry.names.map { NSValueTransformerName($0) }
  }

  /// The transformer registered under `name`. If there is none, a new one of the class with that name (`Module.Class`)
  /// is made and registered; nil if there is no such class.
  static func registered(forName name: String) -> ValueTransformer? {
    ValueTransformerRegistry.transformer(name: name)
  }
}

public protocol _ValueTransformerLookup {}
extension ValueTransformer: _ValueTransformerLookup {}

// Only an initializer of a protocol extension may return an existing object.
extension _ValueTransformerLookup where Self: ValueTransformer {
  /// The transformer registered under that name; nil if no transformer has it.
  public init?(forName name: NSValueTransformerName) {
    guard let found = ValueTransformer.registered(forName: name.rawValue) as? Self else { return nil }
    self = found
  }
}

private enum ValueTransformerRegistry {
  private static let lock = NSLock()
  // Guarded by `lock`.
  nonisolated(unsafe) private static var transformers: [String: ValueTransformer] = [
    "NSNegateBoolean": NegateBooleanTransformer(),
    "NSIsNil": IsNilTransformer(),
    "NSIsNotNil": IsNotNilTransformer(),
    "NSUnarchiveFromData": KeyedUnarchiveFromDataTransformer(),
    "NSKeyedUnarchiveFromData": KeyedUnarchiveFromDataTransformer(),
    "NSSecureUnarchiveFromData": NSSecureUnarchiveFromDataTransformer(),
    // Models name the class itself, too, which Apple's framework finds without its module.
    "NSSecureUnarchiveFromDataTransformer": NSSecureUnarchiveFromDataTransformer(),
  ]

  static var names: [String] { lock.withLock { transformers.keys.sorted() } }

  static func set(_ transformer: ValueTransformer?, name: String) {
    lock.withLock { transformers[name] = transformer }
  }

  static func transformer(name: String) -> ValueTransformer? {
    if let known = lock.withLock({ transformers[name] }) { return known }
    guard let type = (ClassNames.namedClass(name) ?? NSClassFromString(name)) as? ValueTransformer.Type else {
      return nil
    }
    let made = type.makeDynamically()
    return lock.withLock {
      if let known = transformers[name] { return known }
      transformers[name] = made
      return made
    }
  }
}

private final class NegateBooleanTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override func transformedValue(_ value: Any?) -> Any? {
    NSNumber(value: !((value as? NSNumber)?.boolValue ?? false))
  }
}

private final class IsNilTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override class func allowsReverseTransformation() -> Bool { false }
  override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value == nil) }
}

private final class IsNotNilTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override class func allowsReverseTransformation() -> Bool { false }
  override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value != nil) }
}

/// Makes objects of any class from data by keyed archiving.
final class KeyedUnarchiveFromDataTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    return try? UnarchivedObject.read(data, of: nil)
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    // The archiver ends the program on an object that can't be archived, so ask first.
    guard let value, let object = (value as AnyObject) as? NSCoding else { return nil }
    return ArchivedObject.data(object, isSecure: false)
  }
}
