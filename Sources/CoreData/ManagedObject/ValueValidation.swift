/// Whether a class has a say about single values: it overrides `validateValue(_:forKey:)`, or has a method such as
/// `validateTitle(_:)`. Then a save has to ask it about every property.
///
/// Swift has no way to compare methods. But a class's metadata holds a pointer for each method, at the same place in
/// every subclass. The place of this method is found with two classes that differ only in that method. If no place, or
/// more than one, is found, every subclass counts as overriding it, which is slower but never wrong.
enum ValueValidation {
  private class Plain: NSManagedObject {}
  private class Overriding: NSManagedObject {
    override func validateValue(
      _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
      // No other method does this, so that the linker can't fold two equal functions into one.
      value.pointee = key as AnyObject
    }
  }

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// Asked before every validation, so the layout remembers the answer for the last class.
  @inline(__always)
  static func isAsked(_ object: NSManagedObject) -> Bool {
    let type = type(of: object)
    let known = object.places.validatingClass.value
    if known & ~1 == address(type) { return known & 1 == 1 }
    return rememberAnswer(type, object)
  }

  @inline(never)
  private static func rememberAnswer(_ type: NSManagedObject.Type, _ object: NSManagedObject) -> Bool {
    let isAsked = isOverridden(by: type) || object.ownAccessors.hasValidators
    object.places.validatingClass.value = address(type) | (isAsked ? 1 : 0)
    return isAsked
  }

  private static func address(_ type: NSManagedObject.Type) -> UInt {
    UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  static func isOverridden(by type: NSManagedObject.Type) -> Bool {
    ClassMetadata.isOverridden(at: place, by: type, of: NSManagedObject.self)
  }

  private static let place = ClassMetadata.place(
    overriddenBy: Overriding.self, of: NSManagedObject.self, butNotBy: Plain.self)
}
