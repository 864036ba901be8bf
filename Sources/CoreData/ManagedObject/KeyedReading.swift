/// Whether a class overrides `value(forKey:)` or `value(forUndefinedKey:)`, so that a predicate asks it about a key
/// that the model lacks. The places of the methods are found as `ValueValidation` finds its own.
enum KeyedReading {
  private class Plain: NSManagedObject {}
  private class OfKeys: NSManagedObject {
    // No other method does this, so that the linker can't fold two equal functions into one.
    override func value(forKey key: String) -> Any? { key + "key" }
  }
  private class OfUndefinedKeys: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? { key + "undefined" }
  }

  static func isOverridden(by type: NSManagedObject.Type) -> Bool {
    places.contains { ClassMetadata.isOverridden(at: $0, by: type, of: NSManagedObject.self) }
  }

  private static let places = [OfKeys.self, OfUndefinedKeys.self].map {
    ClassMetadata.place(overriddenBy: $0, of: NSManagedObject.self, butNotBy: Plain.self)
  }
}

/// A key that a predicate asks an object about. An unknown one is the predicate's error, which can be thrown; asked for
/// otherwise, it ends the program.
// Used by the thread that asks.
final class AskedKey: @unchecked Sendable {
  @TaskLocal static var current: AskedKey?
  var isUndefined = false
}
