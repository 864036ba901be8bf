/// A pointer to a value that a method may replace. Linux has no autorelease pools; the name lets overrides of
/// `validateValue(_:forKey:)` compile.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

// A reference has the same form whatever its class is, and whether it is optional or not: one word, 0 for nil.
extension UnsafeMutablePointer where Pointee == AnyObject? {
  /// A pointer to the same reference: `AutoreleasingUnsafeMutablePointer(&object)`, as Apple's has it.
  ///
  /// The variable takes whatever is set through the pointer, also an object of another class.
  @_disfavoredOverload
  public init<Object: AnyObject>(_ pointer: UnsafeMutablePointer<Object>) {
    self = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: AnyObject?.self)
  }

  /// A pointer to the same reference: `AutoreleasingUnsafeMutablePointer(&object)`, as Apple's has it.
  ///
  /// The variable takes whatever is set through the pointer, also an object of another class.
  @_disfavoredOverload
  public init<Object: AnyObject>(_ pointer: UnsafeMutablePointer<Object?>) {
    self = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: AnyObject?.self)
  }
}
