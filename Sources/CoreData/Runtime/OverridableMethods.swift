/// Methods of a class that subclasses may override.
///
/// Swift has no way to compare methods. But a class's metadata holds a pointer for each method, at the same place in
/// every subclass. The place of a method is found with two classes that differ only in that method. If no place, or
/// more than one, is found, every subclass counts as overriding it, which is slower but never wrong.
struct OverridableMethods: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  private let base: AnyClass
  private let places: [Int?]

  /// - Parameters:
  ///   - changed: for each method, a class right below `base` that overrides it and nothing else.
  ///   - plain: a class right below `base` that overrides nothing.
  init(of base: AnyClass, overriddenBy changed: [AnyClass], butNotBy plain: AnyClass) {
    self.base = base
    places = changed.map { ClassMetadata.place(overriddenBy: $0, of: base, butNotBy: plain) }
  }

  /// Whether a class below `base`, or `base` itself, overrides one of them.
  func isAny(overriddenBy type: AnyClass) -> Bool {
    places.contains { ClassMetadata.isOverridden(at: $0, by: type, of: base) }
  }
}
