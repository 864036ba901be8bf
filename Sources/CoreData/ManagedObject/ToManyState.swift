/// The members of one to-many relationship of one object: what the store has, and what came and went since.
///
/// Members that come from the inverse side are recorded without asking the store for the others.
/// Belongs to its context's queue.
final class ToManyState {
  /// What the store has; nil until somebody asks. Empty for a new object.
  @exclusivity(unchecked) var base: ContiguousArray<RowReference>?
  /// Not in the store's set. In the order in which they came.
  @exclusivity(unchecked) private(set) var added = ContiguousArray<NSManagedObject>()
  /// In the store's set, and to leave it.
  @exclusivity(unchecked) private(set) var removed: Set<RowReference> = []
  /// Ordered relationships: all members in their new order, once the order was changed.
  @exclusivity(unchecked) private(set) var order: ContiguousArray<NSManagedObject>?
  /// The set last handed out; dropped at every change.
  @exclusivity(unchecked) var handedOut: AnyObject?

  /// The members from before a change that hand-written accessors have announced and not finished.
  @exclusivity(unchecked) var announced: ContiguousArray<NSManagedObject>?

  /// Built when `added` is long and somebody asks whether a member is in it.
  @exclusivity(unchecked) private var addedIndex: Set<ObjectIdentifier>?

  var isChanged: Bool { !added.isEmpty || !removed.isEmpty || order != nil }

  init(base: ContiguousArray<RowReference>? = nil) { self.base = base }

  func isAdded(_ member: NSManagedObject) -> Bool {
    if added.count <= 16 { return added.contains { $0 === member } }
    if addedIndex == nil { addedIndex = Set(added.lazy.map(ObjectIdentifier.init)) }
    return addedIndex!.contains(ObjectIdentifier(member))
  }

  /// Records a member that is known not to be in the relationship now.
  func add(_ member: NSManagedObject) {
    if handedOut != nil { handedOut = nil }
    if removed.isEmpty || removed.remove(member.reference) == nil {
      added.append(member)
      if addedIndex != nil { addedIndex!.insert(ObjectIdentifier(member)) }
    }
    if order != nil { order!.append(member) }
  }

  /// Records the leaving of a member that is known to be in the relationship now.
  func remove(_ member: NSManagedObject) {
    handedOut = nil
    if isAdded(member) {
      if let index = added.lastIndex(where: { $0 === member }) { added.remove(at: index) }
      addedIndex?.remove(ObjectIdentifier(member))
    } else {
      removed.insert(member.reference)
    }
    if let index = order?.firstIndex(where: { $0 === member }) { order!.remove(at: index) }
  }

  /// Takes back that a member came or went; no word of it is left.
  func revert(_ member: NSManagedObject) {
    handedOut = nil
    if isAdded(member) { remove(member) } else { removed.remove(member.reference) }
  }

  /// Members that had temporary ids have got others.
  func rename(_ renamed: [RowReference: RowReference]) {
    base = base.map { ContiguousArray($0.map { renamed[$0] ?? $0 }) }
    removed = Set(removed.map { renamed[$0] ?? $0 })
  }

  /// Forgets a member whose row is gone, as if it had never been one.
  func forget(_ member: NSManagedObject) {
    handedOut = nil
    if isAdded(member) { remove(member) }
    removed.remove(member.reference)
    base?.removeAll { $0 == member.reference }
    order?.removeAll { $0 === member }
  }

  /// Sets the order of an ordered relationship; `members` are exactly those it has now.
  func reorder(_ members: ContiguousArray<NSManagedObject>) {
    handedOut = nil
    order = members
  }

  /// Forgets what came and went; what the store has is asked for again when it is needed.
  func discardChanges(keepingBase: Bool) {
    added = []
    addedIndex = nil
    removed = []
    order = nil
    handedOut = nil
    if !keepingBase { base = nil }
  }

  /// Takes what the store has now. Who came here and there has come, who left here and there has left. An order that
  /// was changed stays as it is.
  func refresh(_ base: ContiguousArray<RowReference>) {
    if order != nil { return }
    self.base = base
    handedOut = nil
    let members = Set(base)
    added.removeAll { members.contains($0.reference) }
    addedIndex = nil
    removed.formIntersection(members)
  }

  /// After a save: what came and went is now what the store has. A new member that was deleted, and so has left
  /// its context, never got there.
  func adoptChanges(in owner: ObjectOwner) {
    if let order {
      base = ContiguousArray(order.lazy.filter { $0.owner === owner }.map(\.reference))
    } else if let base {
      self.base =
        (removed.isEmpty ? base : base.filter { !removed.contains($0) })
        + added.lazy.filter { $0.owner === owner }.map(\.reference)
    }
    added = []
    addedIndex = nil
    removed = []
    order = nil
  }
}
