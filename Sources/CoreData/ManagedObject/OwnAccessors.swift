import Foundation

/// The accessors that a class itself has for transient attributes. Key-value coding calls them through this type,
/// because without Objective-C a property can't be found by its name. The plugin writes an enumeration
/// `ManagedAccessorsOfBook` for a class `Book`.
public protocol _ManagedAccessors {
  /// The attributes that have such an accessor.
  static var keys: [String] { get }
  /// The value that the accessor of `object`, an object of the class, returns for one of `keys`.
  static func value(of object: NSManagedObject, forKey key: String) -> Any?
}

/// The accessors of a class and its superclasses, by the index of the property in an entity.
///
/// Never changed after it was made. The layout frees the one that it keeps.
final class OwnAccessors: @unchecked Sendable {
  // `@unchecked Sendable`: all is constant.
  let type: ObjectIdentifier
  private let accessors: [Int: any _ManagedAccessors.Type]
  /// Held while a layout gets its own.
  fileprivate static let lock = NSLock()

  init(_ type: NSManagedObject.Type, _ layout: EntityLayout) {
    self.type = ObjectIdentifier(type)
    var accessors: [Int: any _ManagedAccessors.Type] = [:]
    var level: AnyClass? = type
    while let owner = level, owner != NSManagedObject.self {
      if let own = OwnAccessors.accessors(of: owner) {
        for key in own.keys {
          if let index = layout.index(named: key), accessors[index] == nil { accessors[index] = own }
        }
      }
      level = _getSuperclass(owner)
    }
    self.accessors = accessors
  }

  subscript(index: Int) -> (any _ManagedAccessors.Type)? { accessors[index] }

  /// The type that the plugin wrote for a class, found by its name.
  private static func accessors(of type: AnyClass) -> (any _ManagedAccessors.Type)? {
    var names = String(reflecting: type).split(separator: ".")
    guard names.count > 1 else { return nil }
    let module = names.removeFirst()
    let name = "ManagedAccessorsOf" + names.joined(separator: "_")
    return TypeNames.type(name, .enumeration, in: module) as? any _ManagedAccessors.Type
  }
}

extension NSManagedObject {
  /// The value of the class's own accessor of a transient attribute; nil if it has none.
  @inline(never)
  final func ownAccessorValue(at index: Int) -> Any?? {
    let type = Swift.type(of: self)
    let word = layout.ownAccessorsWord
    var known = UnsafeRawPointer(bitPattern: word.value).map {
      Unmanaged<OwnAccessors>.fromOpaque($0).takeUnretainedValue()
    }
    if known?.type != ObjectIdentifier(type) {
      let made = OwnAccessors(type, layout)
      // Objects of one entity are of one class, except those that a program makes by hand.
      OwnAccessors.lock.withLock {
        if word.value == 0 { word.value = UInt(bitPattern: Unmanaged.passRetained(made).toOpaque()) }
      }
      known = made
    }
    guard let accessors = known?[index] else { return nil }
    let property = layout.properties[index]
    guard let value = accessors.value(of: self, forKey: property.name) else { return .some(nil) }
    return property.isRelationship ? value : Value(value, for: property)?.boxed(for: property) ?? value
  }
}
