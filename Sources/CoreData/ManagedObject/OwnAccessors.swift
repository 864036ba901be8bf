internal import DataModelFiles
import Foundation

/// The properties with a getter that a class itself has, for transient attributes or outside the model, its methods
/// `validateTitle(_:)`, and its class methods `keyPathsForValuesAffectingTitle()`. Key-value coding, validation and
/// observers call them through this type, because without Objective-C a method can't be found by its name.
/// The plugin writes an enumeration `ManagedAccessorsOfBook` for a class `Book`.
public protocol _ManagedAccessors {
  /// The names of the properties.
  static var keys: [String] { get }
  /// The value that the getter of `object`, an object of the class, returns for one of `keys`.
  static func value(of object: NSManagedObject, forKey key: String) -> Any?
  /// The keys that have a validation method; a property of that name may begin with a capital letter.
  static var validatedKeys: [String] { get }
  /// Calls the validation method of `object`, an object of the class, for one of `validatedKeys`.
  static func validate(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, forKey key: String
  ) throws
  /// What the class's method `keyPathsForValuesAffectingTitle()` says for the key `title`; nil if it has none.
  static func keyPaths(affecting key: String) -> Set<String>?
}

/// A class that has none of them.
extension _ManagedAccessors {
  public static var keys: [String] { [] }
  public static func value(of object: NSManagedObject, forKey key: String) -> Any? { nil }
  public static var validatedKeys: [String] { [] }
  public static func validate(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, forKey key: String
  ) throws {}
  public static func keyPaths(affecting key: String) -> Set<String>? { nil }
}

/// The accessors and validation methods of a class and its superclasses, by the index of the property in an entity; the
/// others by their names.
///
/// Never changed after it was made. The layout frees the one that it keeps.
final class OwnAccessors: @unchecked Sendable {
  // `@unchecked Sendable`: all is constant.
  let type: ObjectIdentifier
  private let accessors: [Int: any _ManagedAccessors.Type]
  private let others: [String: any _ManagedAccessors.Type]
  private let validators: [Int: (accessors: any _ManagedAccessors.Type, key: String)]
  /// Held while a layout gets its own.
  fileprivate static let lock = NSLock()

  init(_ type: NSManagedObject.Type, _ layout: EntityLayout) {
    self.type = ObjectIdentifier(type)
    var accessors: [Int: any _ManagedAccessors.Type] = [:]
    var others: [String: any _ManagedAccessors.Type] = [:]
    var validators: [Int: (accessors: any _ManagedAccessors.Type, key: String)] = [:]
    var level: AnyClass? = type
    while let owner = level, owner != NSManagedObject.self {
      if let own = OwnAccessors.accessors(of: owner) {
        for key in own.keys {
          if let index = layout.index(named: key) {
            if accessors[index] == nil { accessors[index] = own }
          } else if others[key] == nil {
            others[key] = own
          }
        }
        for key in own.validatedKeys {
          let index = layout.index(named: key) ?? layout.index(named: AccessorName.capitalized(key))
          if let index, validators[index] == nil { validators[index] = (own, key) }
        }
      }
      level = _getSuperclass(owner)
    }
    self.accessors = accessors
    self.others = others
    self.validators = validators
  }

  var hasValidators: Bool { !validators.isEmpty }
  func hasValidator(at index: Int) -> Bool { validators[index] != nil }

  func validate(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, at index: Int
  ) throws {
    if let own = validators[index] { try own.accessors.validate(value, of: object, forKey: own.key) }
  }

  subscript(index: Int) -> (any _ManagedAccessors.Type)? { accessors[index] }
  subscript(key: String) -> (any _ManagedAccessors.Type)? { others[key] }

  /// What the methods `keyPathsForValuesAffectingTitle()` of a class and its superclasses say for `title`; the class's
  /// own comes before an inherited one.
  static func keyPaths(affecting key: String, in type: NSManagedObject.Type) -> Set<String> {
    var level: AnyClass? = type
    while let owner = level, owner != NSManagedObject.self {
      if let found = accessors(of: owner)?.keyPaths(affecting: key) { return found }
      level = _getSuperclass(owner)
    }
    return []
  }

  /// The type that the plugin wrote for a class, found by its name.
  private static func accessors(of type: AnyClass) -> (any _ManagedAccessors.Type)? {
    var names = _typeName(type).split(separator: ".")
    guard names.count > 1 else { return nil }
    let module = names.removeFirst()
    guard EntityClasses.mayHaveOwnAccessors(module) else { return nil }
    let name = "ManagedAccessorsOf" + names.joined(separator: "_")
    return TypeNames.type(name, .enumeration, in: module) as? any _ManagedAccessors.Type
  }
}

extension NSManagedObject {
  /// What the object's class has of its own.
  final var ownAccessors: OwnAccessors {
    let type = Swift.type(of: self)
    let word = layout.ownAccessorsWord
    let known = UnsafeRawPointer(bitPattern: word.value).map {
      Unmanaged<OwnAccessors>.fromOpaque($0).takeUnretainedValue()
    }
    if let known, known.type == ObjectIdentifier(type) { return known }
    let made = OwnAccessors(type, layout)
    // Objects of one entity are of one class, except those that a program makes by hand.
    OwnAccessors.lock.withLock {
      if word.value == 0 { word.value = UInt(bitPattern: Unmanaged.passRetained(made).toOpaque()) }
    }
    return made
  }

  /// The value of the class's own accessor of a transient attribute; nil if it has none, or if it is the accessor that
  /// asks: one by `value(forKey:)` with its own name wants what the object holds.
  @inline(never)
  final func ownAccessorValue(at index: Int) -> Any?? {
    guard let accessors = ownAccessors[index] else { return nil }
    // The accessor may fetch, and the event that this ends may take the object out of its context.
    let owner = owner
    let property = layout.properties[index]
    let running = (object: ObjectIdentifier(self), index: index)
    if property.kind == .fetched || owner.runningAccessors.contains(where: { $0 == running }) { return nil }
    owner.runningAccessors.append(running)
    defer { owner.runningAccessors.removeLast() }
    guard let value = accessors.value(of: self, forKey: property.name) else { return .some(nil) }
    return property.isRelationship ? value : Value(value, for: property)?.boxed(for: property) ?? value
  }
}
