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

  static func isOverridden(by type: NSManagedObject.Type) -> Bool {
    ClassMetadata.isOverridden(at: place, by: type, of: NSManagedObject.self)
  }

  private static let place = ClassMetadata.place(
    overriddenBy: Overriding.self, of: NSManagedObject.self, butNotBy: Plain.self)
}
