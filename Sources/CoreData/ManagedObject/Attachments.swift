/// What only some objects need besides their values: the states of to-many relationships once they are used, the id
/// once it is asked for, and observers. This costs each object one word. If only the id is needed, that word refers to
/// the id itself.
final class Attachments {
  // Unchecked or inlined by force, as the count of `tag` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) var members = ToManyStates()
  @exclusivity(unchecked) var id: NSManagedObjectID?
  var observers: KeyValueObservers?

  init(id: NSManagedObjectID?) { self.id = id }
}

extension NSManagedObject {
  private final var attachments: Attachments? {
    @inline(__always) get {
      guard let attached, type(of: attached) == Attachments.self else { return nil }
      return unsafeDowncast(attached, to: Attachments.self)
    }
  }

  final var observers: KeyValueObservers? { attachments?.observers }

  final var attachmentsForUse: Attachments {
    if let attachments { return attachments }
    let made = Attachments(id: cachedID)
    attached = made
    return made
  }

  /// The members and changes of each to-many relationship, by its index; empty until one is used.
  final var toManyStates: ToManyStates {
    @inline(__always) get { attachments?.members ?? ToManyStates() }
    set {
      if !newValue.isEmpty || attachments != nil { attachmentsForUse.members = newValue }
    }
    _modify { yield &attachmentsForUse.members }
  }

  /// The state of a to-many relationship or a fetched property, if it was used.
  @inline(__always)
  final func knownState(of property: LayoutProperty) -> ToManyState? {
    guard let attached, type(of: attached) == Attachments.self else { return nil }
    let attachments = unsafeDowncast(attached, to: Attachments.self)
    let index = property.toManyIndex
    return index < attachments.members.count ? attachments.members[index] : nil
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
