// Whether a class of the program's overrides some methods of `NSManagedObject`. If not, the framework takes a shorter
// way. No other method does what those of the private classes here do, so that the linker can't fold two equal
// functions into one.

/// Whether a class has a say about single values by overriding `validateValue(_:forKey:)`. Then a save has to ask it
/// about every property.
enum ValueValidation {
  private class Overriding: NSManagedObject {
    override func validateValue(
      _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
      value.pointee = key as AnyObject
    }
  }

  static func isOverridden(by type: NSManagedObject.Type) -> Bool { methods.isAny(overriddenBy: type) }

  private static let methods = OverridableMethods(
    of: NSManagedObject.self, overriddenBy: [Overriding.self], butNotBy: PlainObject.self)
}

/// Whether a class overrides `willSave()` or `didSave()`. If none of a save's objects is of such a class, the save does
/// not go through them.
enum SaveMethods {
  private class BeforeSaves: NSManagedObject {
    override func willSave() { setValue("will", forKey: "save") }
  }
  private class AfterSaves: NSManagedObject {
    override func didSave() { setValue("did", forKey: "save") }
  }

  static func areOverridden(by type: NSManagedObject.Type) -> Bool { methods.isAny(overriddenBy: type) }

  private static let methods = OverridableMethods(
    of: NSManagedObject.self, overriddenBy: [BeforeSaves.self, AfterSaves.self], butNotBy: PlainObject.self)
}

/// Whether a class overrides `value(forKey:)` or `value(forUndefinedKey:)`, so that a predicate asks it about a key
/// that the model lacks.
enum KeyedReading {
  private class OfKeys: NSManagedObject {
    override func value(forKey key: String) -> Any? { key + "key" }
  }
  private class OfUndefinedKeys: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? { key + "undefined" }
  }

  static func isOverridden(by type: NSManagedObject.Type) -> Bool { methods.isAny(overriddenBy: type) }

  private static let methods = OverridableMethods(
    of: NSManagedObject.self, overriddenBy: [OfKeys.self, OfUndefinedKeys.self], butNotBy: PlainObject.self)
}

/// A class without methods of its own, which the others are compared with.
private class PlainObject: NSManagedObject {}
