internal import CSwiftRuntime

/// An object that properties, indexes and subentities refer to weakly, instead of to their entity itself.
///
/// The first `weak` reference to an object moves its counts into a table of their own, and from then on each retain and
/// release of it goes there. Making a managed object retains its entity for the initializer, and with such a table that
/// alone took a twelfth of a fetch. So descriptions hold the anchor weakly, and the entity owns the anchor.
///
/// Any thread.
final class EntityAnchor: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  /// Keeps the memory of the reference counts alive, but not the entity.
  private unowned let keeper: NSEntityDescription
  private let entityPointer: UnsafeMutableRawPointer

  init(_ entity: NSEntityDescription) {
    keeper = entity
    entityPointer = Unmanaged.passUnretained(entity).toOpaque()
  }

  /// The entity; nil once its deinit has begun.
  var entity: NSEntityDescription? {
    guard swift_tryRetain(entityPointer) != nil else { return nil }
    return Unmanaged<NSEntityDescription>.fromOpaque(entityPointer).takeRetainedValue()
  }
}
