import CSwiftRuntime

/// A reference to an object that does not keep it alive: what `weak` is, without the table that `weak` makes beside the
/// object, and which each later retain and release of the object has to go through.
///
/// For one thread at a time, as the models of a context are.
struct LivingReference: ~Copyable {
  private var pointer: UnsafeMutableRawPointer?

  /// A reference to nothing.
  init() {}

  deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The object; nil from the moment in which its deinitialization begins.
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
