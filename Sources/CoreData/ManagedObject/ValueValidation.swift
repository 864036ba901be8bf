/// Whether a class overrides `validateValue(_:forKey:)`, so that a save has to ask it about every property.
///
/// Swift has no way to compare methods. But a class' metadata holds a pointer for each method, at the same
/// place in every subclass. Which place is this method's is found with two classes that differ in that method
/// alone: where the plain one has the pointer of `NSManagedObject` and the other one does not. Should no
/// place, or more than one, look like that, every subclass is taken to override: slower, and never wrong.
enum ValueValidation {
  private class Plain: NSManagedObject {}
  private class Overriding: NSManagedObject {
    override func validateValue(
      _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
      // Something that no other method does, lest the linker folds two functions of one text.
      value.pointee = key as AnyObject
    }
  }

  /// Asked before every validation: the layout remembers the answer for the class it was last asked about.
  @inline(__always)
  static func isOverridden(_ object: NSManagedObject) -> Bool {
    let type = type(of: object)
    let known = object.layout.validatingClass.value
    if known & ~1 == address(type) { return known & 1 == 1 }
    return note(type, object.layout)
  }

  @inline(never)
  private static func note(_ type: NSManagedObject.Type, _ layout: EntityLayout) -> Bool {
    let isOverriding = isOverridden(by: type)
    layout.validatingClass.value = address(type) | (isOverriding ? 1 : 0)
    return isOverriding
  }

  @inline(__always)
  private static func address(_ type: NSManagedObject.Type) -> UInt {
    UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  static func isOverridden(by type: NSManagedObject.Type) -> Bool {
    guard let place else { return type != NSManagedObject.self }
    return word(place, of: type) != word(place, of: NSManagedObject.self)
  }

  /// Words from the metadata's start to the pointer of the method.
  private static let place: Int? = {
    let base = NSManagedObject.self
    let found = words(of: base).filter {
      let own = word($0, of: base)
      return word($0, of: Plain.self) == own && word($0, of: Overriding.self) != own
    }
    return found.count == 1 ? found[0] : nil
  }()

  /// The fields of a class' metadata that the compiler writes on platforms without Objective-C: isa,
  /// superclass, flags and address point (32 bits each), instance size, alignment (16 and 16 reserved), size
  /// and address point of the class (32 each), description, destroyer; then methods and field offsets.
  private static func words(of type: AnyClass) -> Range<Int> {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let size = metadata.load(fromByteOffset: 32, as: UInt32.self)
    let addressPoint = metadata.load(fromByteOffset: 36, as: UInt32.self)
    let (first, end) = (56 / 8, (Int(size) - Int(addressPoint)) / 8)
    return first < end && end < 4096 ? first..<end : 0..<0
  }

  private static func word(_ place: Int, of type: AnyClass) -> UInt {
    unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: place * 8, as: UInt.self)
  }
}
