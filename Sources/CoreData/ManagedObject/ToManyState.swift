/// The members of one to-many relationship of one object: what the store has, and what came and went since.
///
/// Members that come from the inverse side are recorded without asking the store for the others. A fetched property
/// has one for what it found, and nothing else in it.
/// Belongs to its context's queue.
final class ToManyState {
  /// What the store has; nil until somebody asks. Empty for a new object.
  @exclusivity(unchecked) var base: ContiguousArray<RowReference>? {
    didSet {
      if baseIndex != nil { baseIndex = nil }
      if base == nil { noteChange() }
    }
  }
  /// Not in the store's set. In the order in which they came.
  var added: ContiguousArray<NSManagedObject> {
    if !departed.isEmpty { takeOutDeparted() }
    return arrivals
  }
  /// `added`, and those of them that have left again: they are taken out when somebody looks, so that of many
  /// members each can leave without a search for it.
  @exclusivity(unchecked) private var arrivals = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private var departed: Set<ObjectIdentifier> = []
  /// In the store's set, and to leave it.
  @exclusivity(unchecked) private(set) var removed: Set<RowReference> = []
  /// Ordered relationships: all members in their new order, once the order was changed.
  @exclusivity(unchecked) private(set) var order: ContiguousArray<NSManagedObject>?
  /// The set last handed out; dropped at every change.
  @exclusivity(unchecked) var handedOut: AnyObject?
  /// Whether the program has asked for the set, or put a member in from this side: then the object holds its members,
  /// until it becomes a fault.
  @exclusivity(unchecked) var isUsed = false
  /// The members that are held where no set is handed out: the last such set, and those that came since.
  @exclusivity(unchecked) private var formerSet: AnyObject?
  @exclusivity(unchecked) private var saved = ContiguousArray<NSManagedObject>()
  /// Grows whenever the members may have become others, or stand in another order.
  @exclusivity(unchecked) private(set) var changeCount = 0

  /// The members from before a change that hand-written accessors have announced and not finished.
  @exclusivity(unchecked) var announced: ContiguousArray<NSManagedObject>?

  /// Built when `added` is long and somebody asks whether a member is in it. There is one while `departed` has
  /// members.
  @exclusivity(unchecked) private var addedIndex: Set<ObjectIdentifier>?
  /// Built when `base` is long and somebody asks a second time whether a member is in it.
  @exclusivity(unchecked) private var baseIndex: Set<RowReference>?
  @exclusivity(unchecked) private var wasBaseSearched = false

  var isChanged: Bool { arrivals.count > departed.count || !removed.isEmpty || order != nil }

  init(base: ContiguousArray<RowReference>? = nil) { self.base = base }

  func isAdded(_ member: NSManagedObject) -> Bool {
    if arrivals.count <= 16, departed.isEmpty { return arrivals.contains { $0 === member } }
    if addedIndex == nil { addedIndex = Set(arrivals.lazy.map(ObjectIdentifier.init)) }
    return addedIndex!.contains(ObjectIdentifier(member))
  }

  /// Whether the store's set, which has been read, has a member.
  func isInBase(_ reference: RowReference) -> Bool {
    guard let base else { return false }
    if base.count <= 16 || !wasBaseSearched {
      wasBaseSearched = true
      return base.contains(reference)
    }
    if baseIndex == nil { baseIndex = Set(base) }
    return baseIndex!.contains(reference)
  }

  private func takeOutDeparted() {
    arrivals.removeAll { departed.contains(ObjectIdentifier($0)) }
    departed = []
  }

  private func noteChange() {
    changeCount &+= 1
    if let handedOut {
      formerSet = handedOut
      self.handedOut = nil
    }
  }

  /// Keeps the set that is handed out, until the members change. It holds all of them.
  func handOut(_ set: AnyObject) {
    handedOut = set
    isUsed = true
    formerSet = nil
    saved = []
  }

  /// Records a member that is known not to be in the relationship now.
  func add(_ member: NSManagedObject) {
    noteChange()
    if removed.isEmpty || removed.remove(member.reference) == nil {
      if departed.contains(ObjectIdentifier(member)) { takeOutDeparted() }
      arrivals.append(member)
      if addedIndex != nil { addedIndex!.insert(ObjectIdentifier(member)) }
    }
    if order != nil { order!.append(member) }
  }

  /// Records the leaving of a member that is known to be in the relationship now.
  func remove(_ member: NSManagedObject) {
    noteChange()
    if isAdded(member) {
      if arrivals.count <= 16, departed.isEmpty {
        if let index = arrivals.lastIndex(where: { $0 === member }) { arrivals.remove(at: index) }
      } else {
        departed.insert(ObjectIdentifier(member))
      }
      addedIndex?.remove(ObjectIdentifier(member))
    } else {
      removed.insert(member.reference)
    }
    if let index = order?.firstIndex(where: { $0 === member }) { order!.remove(at: index) }
  }

  /// Takes back that a member came or went; no word of it is left.
  func revert(_ member: NSManagedObject) {
    noteChange()
    if isAdded(member) {
      remove(member)
    } else if removed.remove(member.reference) != nil, order != nil {
      order!.append(member)
    }
  }

  /// Members that had temporary ids have got others.
  func rename(_ renamed: [RowReference: RowReference]) {
    base = base.map { ContiguousArray($0.map { renamed[$0] ?? $0 }) }
    removed = Set(removed.map { renamed[$0] ?? $0 })
  }

  /// Forgets a member whose row is gone, as if it had never been one.
  func forget(_ member: NSManagedObject) {
    noteChange()
    if isAdded(member) { remove(member) }
    removed.remove(member.reference)
    base?.removeAll { $0 == member.reference }
    order?.removeAll { $0 === member }
  }

  /// Sets the order of an ordered relationship; `members` are exactly those it has now.
  func reorder(_ members: ContiguousArray<NSManagedObject>) {
    noteChange()
    order = members
  }

  /// Members stand in the store's order again, new ones behind them.
  func discardOrder() {
    noteChange()
    order = nil
  }

  /// Forgets what came and went; what the store has is asked for again when it is needed.
  func discardChanges(keepingBase: Bool) {
    arrivals = []
    departed = []
    addedIndex = nil
    removed = []
    order = nil
    noteChange()
    if !keepingBase { base = nil }
  }

  /// Takes what the store has now. Who came here and there has come, who left here and there has left. An order that
  /// was changed stays as it is.
  func refresh(_ base: ContiguousArray<RowReference>) {
    if order != nil { return }
    self.base = base
    noteChange()
    let members = Set(base)
    if !departed.isEmpty { takeOutDeparted() }
    arrivals.removeAll { members.contains($0.reference) }
    addedIndex = nil
    removed.formIntersection(members)
  }

  /// After a save: what came and went is now what the store has. A new member that was deleted, and so has left
  /// its context, never got there.
  func adoptChanges(in owner: ObjectOwner) {
    if isUsed { saved += order ?? added }
    if let order {
      base = ContiguousArray(order.lazy.filter { $0.owner === owner }.map(\.reference))
    } else if let base {
      var members = removed.isEmpty ? base : base.filter { !removed.contains($0) }
      let added = added
      members.reserveCapacity(members.count + added.count)
      for member in added where member.owner === owner { members.append(member.reference) }
      self.base = members
    }
    arrivals = []
    departed = []
    addedIndex = nil
    removed = []
    order = nil
  }
}
