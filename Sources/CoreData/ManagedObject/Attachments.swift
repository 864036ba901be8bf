/// What few objects need beside their values, so that it takes one word of each: of an object whose to-many
/// relationships were used, their states, and the id if it was asked for. An object of which only the id was asked for
/// refers to the id itself.
final class Attachments {
  /// Of the to-many relationships and, once one was asked for, of the fetched properties.
  @exclusivity(unchecked) var members: ContiguousArray<ToManyState?> = []
  @exclusivity(unchecked) var id: NSManagedObjectID?

  init(id: NSManagedObjectID?) { self.id = id }
}

extension NSManagedObject {
  private final var attachments: Attachments? {
    @inline(__always) get {
      guard let attached, type(of: attached) == Attachments.self else { return nil }
      return unsafeDowncast(attached, to: Attachments.self)
    }
  }

  private final var attachmentsForMembers: Attachments {
    if let attachments { return attachments }
    let made = Attachments(id: cachedID)
    attached = made
    return made
  }

  /// What is known and changed of each to-many relationship, by its index; empty until one is used.
  final var toManyStates: ContiguousArray<ToManyState?> {
    @inline(__always) get { attachments?.members ?? [] }
    set {
      if !newValue.isEmpty || attachments != nil { attachmentsForMembers.members = newValue }
    }
    _modify { yield &attachmentsForMembers.members }
  }

  final var cachedID: NSManagedObjectID? {
    get {
      guard let attached else { return nil }
      if type(of: attached) == Attachments.self { return unsafeDowncast(attached, to: Attachments.self).id }
      return unsafeDowncast(attached, to: NSManagedObjectID.self)
    }
    set {
      if let attachments { attachments.id = newValue } else { attached = newValue }
    }
  }
}
