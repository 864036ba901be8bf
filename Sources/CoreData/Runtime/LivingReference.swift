internal import CSwiftRuntime

/// A reference that doesn't keep its object alive.
///
/// It does what `weak` does, but without the side table that the first `weak` reference gives an object and that slows
/// down each later retain and release. Contexts, stores, coordinators, models and entities are retained for each object
/// or save, so what refers to them without keeping them alive holds one of these. It keeps the memory of the object.
///
/// Any thread may read it while none sets it, as with `weak`.
struct LivingReference<Object: AnyObject>: ~Copyable {
  private var reference: AnyLivingReference

  init(_ object: Object? = nil) { reference = AnyLivingReference(object) }

  /// The object; nil as soon as its deinitialization begins.
  var object: Object? {
    get {
      guard let object = reference.object else { return nil }
      return unsafeDowncast(object, to: Object.self)
    }
    set { reference.object = newValue }
  }

  /// Whether it refers to an object that the caller has.
  func refers(to object: Object) -> Bool { reference.refers(to: object) }
}

extension LivingReference: @unchecked Sendable where Object: Sendable {}

/// A ``LivingReference`` to an object of any class, for other modules: they would call a generic one without knowing
/// its type.
package struct AnyLivingReference: ~Copyable {
  private var pointer: UnsafeMutableRawPointer?

  package init(_ object: AnyObject? = nil) { pointer = Self.pointer(keeping: object) }

  deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The object; nil as soon as its deinitialization begins.
  package var object: AnyObject? {
    get {
      guard let pointer, let living = swift_tryRetain(pointer) else { return nil }
      return Unmanaged<AnyObject>.fromOpaque(living).takeRetainedValue()
    }
    set {
      let former = pointer
      pointer = Self.pointer(keeping: newValue)
      if let former { swift_unownedRelease(former) }
    }
  }

  fileprivate func refers(to object: AnyObject) -> Bool { pointer == Unmanaged.passUnretained(object).toOpaque() }

  private static func pointer(keeping object: AnyObject?) -> UnsafeMutableRawPointer? {
    guard let object else { return nil }
    return swift_unownedRetain(Unmanaged.passUnretained(object).toOpaque())
  }
}
