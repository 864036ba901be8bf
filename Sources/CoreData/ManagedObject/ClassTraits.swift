/// What a save wants to know of a client's class. Found out once for each; the layout remembers the answer for the last
/// class that it was asked about.
struct ClassTraits: OptionSet {
  let rawValue: UInt

  /// The class has a say about single values; see ``ValueValidation``.
  static let validatesValues = ClassTraits(rawValue: 1 << 0)
  /// The class overrides `willSave()` or `didSave()`; see ``SaveMethods``.
  static let hearsOfSaves = ClassTraits(rawValue: 1 << 1)
  // A class's address leaves three bits free.
  private static let all: UInt = 7

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  @inline(__always)
  static func of(_ object: NSManagedObject) -> ClassTraits {
    let type = type(of: object)
    let known = object.places.classTraits.value
    if known & ~all == address(type) { return ClassTraits(rawValue: known & all) }
    return remember(type, object)
  }

  @inline(never)
  private static func remember(_ type: NSManagedObject.Type, _ object: NSManagedObject) -> ClassTraits {
    var traits: ClassTraits = []
    if ValueValidation.isOverridden(by: type) || object.ownAccessors.hasValidators { traits.insert(.validatesValues) }
    if SaveMethods.areOverridden(by: type) { traits.insert(.hearsOfSaves) }
    object.places.classTraits.value = address(type) | traits.rawValue
    return traits
  }

  private static func address(_ type: NSManagedObject.Type) -> UInt {
    UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
  }
}
