import CSwiftRuntime

/// A reference that doesn't keep its object alive. It does what `weak` does, but without the side table that the first
/// `weak` reference gives an object and that slows down each later retain and release.
///
/// One thread at a time may use it, as with the models of a context.
struct LivingReference: ~Copyable {
  private var pointer: UnsafeMutableRawPointer?

  /// A reference to nothing.
  init() {}

  deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The object; nil as soon as its deinitialization begins.
  var object: AnyObject? {
    guard let pointer, let living = swift_tryRetain(pointer) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(living).takeRetainedValue()
  }

  /// Refers to another object.
  mutating func set(_ object: AnyObject) {
    let new = Unmanaged.passUnretained(object).toOpaque()
    if new == pointer { return }
    if let pointer { swift_unownedRelease(pointer) }
    pointer = swift_unownedRetain(new)
  }
}
