internal import CSwiftRuntime

/// What properties, indexes and entities refer to when they refer back to an entity: it is weak, the entity is not.
///
/// The first `weak` reference to an object moves its counts into a table of their own, and from then on each retain and
/// release of it goes there. Each managed object that is made retains its entity for its initialiser, and with such a
/// table that alone took a twelfth of a fetch. So descriptions hold the anchor weakly, and the entity owns the anchor.
///
/// Any thread.
final class EntityAnchor: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  /// Keeps the memory where the counts are, not the entity.
  private unowned let keeper: NSEntityDescription
  private let entityPointer: UnsafeMutableRawPointer

  init(_ entity: NSEntityDescription) {
    keeper = entity
    entityPointer = Unmanaged.passUnretained(entity).toOpaque()
  }

  /// nil once the entity's end has begun.
  var entity: NSEntityDescription? {
    guard swift_tryRetain(entityPointer) != nil else { return nil }
    return Unmanaged<NSEntityDescription>.fromOpaque(entityPointer).takeRetainedValue()
  }
}
