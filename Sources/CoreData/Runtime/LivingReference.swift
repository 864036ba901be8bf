internal import CSwiftRuntime

/// A reference that doesn't keep its object alive.
///
/// It does what `weak` does, but without the side table that the first `weak` reference gives an object and that slows
/// down each later retain and release. Contexts, stores, coordinators, models and entities are retained for each object
/// or save, so what refers to them without keeping them alive holds one of these. It keeps the memory of the object.
///
/// Any thread may read it while none sets it, as with `weak`.
package struct LivingReference<Object: AnyObject>: ~Copyable {
  @usableFromInline var pointer: UnsafeMutableRawPointer?

  @inlinable package init(_ object: Object? = nil) {
    pointer = object.map { swift_unownedRetain(Unmanaged.passUnretained($0).toOpaque()) }
  }

  @inlinable deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The object; nil as soon as its deinitialization begins.
  @inlinable package var object: Object? {
    get {
      guard let pointer, let living = swift_tryRetain(pointer) else { return nil }
      return Unmanaged<Object>.fromOpaque(living).takeRetainedValue()
    }
    set {
      let former = pointer
      pointer = newValue.map { swift_unownedRetain(Unmanaged.passUnretained($0).toOpaque()) }
      if let former { swift_unownedRelease(former) }
    }
  }
}

extension LivingReference: @unchecked Sendable where Object: Sendable {}
