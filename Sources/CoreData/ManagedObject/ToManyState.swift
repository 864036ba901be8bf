/// The members of one to-many relationship of one object: those in the store, and those added and removed since.
///
/// Members that are added from the inverse side are recorded without reading the others from the store. A fetched
/// property keeps what it has found in `handedOut` of one of these, and nothing else. Belongs to its context's queue.
final class ToManyState {
  // Unchecked, as the count of `tag` asks for; see CONTRIBUTING.md.
  // The first fields are what adding a member asks: together, they are in one line of the processor's cache more often.
  /// `added`, including members that have left again. Those are removed at the next read, so that removing many members
  /// one by one takes no search for each.
  @exclusivity(unchecked) private var arrivals = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private var departed: Set<ObjectIdentifier> = []
  /// Members in the store that were removed.
  @exclusivity(unchecked) private(set) var removed: Set<RowReference> = []
  /// For ordered relationships: all members in their new order, once the order was changed.
  @exclusivity(unchecked) private(set) var order: ContiguousArray<NSManagedObject>?
  /// The set that was returned last; dropped at every change.
  @exclusivity(unchecked) var handedOut: AnyObject?
  /// The members that were read last otherwise than as such a set; dropped at every change.
  @exclusivity(unchecked) private(set) var used: ContiguousArray<NSManagedObject>?
  /// An index of `added`, built when that is long and searched for a member. It exists while `departed` has members.
  @exclusivity(unchecked) private var addedIndex: Set<ObjectIdentifier>?
  /// Grows whenever the members or their order may have changed.
  @exclusivity(unchecked) private(set) var changeCount = 0
  /// The members in the store; nil until they are read. Empty for a new object.
  @exclusivity(unchecked) var base: ContiguousArray<RowReference>? {
    didSet {
      if baseIndex != nil { baseIndex = nil }
      if base == nil { noteChange() }
    }
  }
  /// Whether the program has read the set, or added a member from this side. If so, the object keeps its members alive
  /// until it becomes a fault.
  @exclusivity(unchecked) var isUsed = false
  @exclusivity(unchecked) private var wasBaseSearched = false
  /// The members that are kept alive while no set has been returned: the last such set, and those added since.
  @exclusivity(unchecked) private var formerSet: AnyObject?
  @exclusivity(unchecked) private var saved = ContiguousArray<NSManagedObject>()
  /// How many `saved` may be before those of them that have left the context are let go of.
  @exclusivity(unchecked) private var savedLimit = 64

  /// How many members were asked about one at a time, since the store's set is too large to be read for one.
  var questions = 0

  /// The members from before a change that a hand-written accessor has announced and not yet ended.
  @exclusivity(unchecked) var announced: ContiguousArray<NSManagedObject>?

  /// An index of `base`, built when that is long and searched for a member a second time.
  @exclusivity(unchecked) private var baseIndex: Set<RowReference>?

  /// Members that are not in the store, in the order in which they were added.
  var added: ContiguousArray<NSManagedObject> {
    if !departed.isEmpty { takeOutDeparted() }
    return arrivals
  }

  var isChanged: Bool { arrivals.count > departed.count || !removed.isEmpty || order != nil }

  init(base: ContiguousArray<RowReference>? = nil) { self.base = base }

  func isAdded(_ member: NSManagedObject) -> Bool {
    if arrivals.count <= 16, departed.isEmpty { return arrivals.contains { $0 === member } }
    if addedIndex == nil { addedIndex = Set(arrivals.lazy.map(ObjectIdentifier.init)) }
    return addedIndex!.contains(ObjectIdentifier(member))
  }

  /// Whether a member is in the store's set, which has been read.
  func isInBase(_ reference: RowReference) -> Bool {
    guard let base else { return false }
    if base.count <= 16 || !wasBaseSearched {
      wasBaseSearched = true
      return base.contains(reference)
    }
    if baseIndex == nil { baseIndex = Set(base) }
    return baseIndex!.contains(reference)
  }

  /// How many members there are; nil if the store's set was not read.
  var count: Int? { order?.count ?? base.map { $0.count - takenOut + arrivals.count - departed.count } }

  /// How many members of the store's set were removed. Where the other side was read earlier, a removed one may be gone
  /// from the set by itself.
  private var takenOut: Int { removed.count(where: isInBase) }

  /// Whether an object is a member; nil if only the store knows.
  func isMember(_ object: NSManagedObject) -> Bool? {
    if isAdded(object) { return true }
    if removed.contains(object.reference) { return false }
    return base == nil ? nil : isInBase(object.reference)
  }

  /// The place of a member; nil if it is none, or the store's set was not read.
  func place(of member: NSManagedObject) -> Int? {
    if let order { return order.firstIndex { $0 === member } }
    guard let base else { return nil }
    let reference = member.reference
    if let place = base.firstIndex(of: reference), !removed.contains(reference) {
      return removed.isEmpty ? place : base[..<place].lazy.filter { !self.removed.contains($0) }.count
    }
    return added.firstIndex { $0 === member }.map { base.count - takenOut + $0 }
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
    if let used {
      if saved.isEmpty { saved = used } else { saved += used }
      savedLimit = max(64, saved.count * 2)
      self.used = nil
    }
  }

  /// Keeps the set that is returned, which has all members, until the members change.
  func handOut(_ set: AnyObject) {
    handedOut = set
    isUsed = true
    formerSet = nil
    saved = []
    used = nil
  }

  /// Keeps the members, which the program reads, until they change.
  func use(_ members: ContiguousArray<NSManagedObject>) {
    isUsed = true
    used = members
    formerSet = nil
    saved = []
  }

  /// Records a new member, which must not be in the relationship now.
  func add(_ member: NSManagedObject) {
    noteChange()
    if removed.isEmpty || removed.remove(member.reference) == nil {
      if departed.contains(ObjectIdentifier(member)) { takeOutDeparted() }
      arrivals.append(member)
      if addedIndex != nil { addedIndex!.insert(ObjectIdentifier(member)) }
    }
    if order != nil { order!.append(member) }
  }

  /// Records the removal of a member, which must be in the relationship now.
  func remove(_ member: NSManagedObject) {
    noteChange()
    if isAdded(member) {
      if arrivals.count <= 16, departed.isEmpty {
        if let index = arrivals.lastIndex(where: { $0 === member }) { arrivals.remove(at: index) }
      } else {
        departed.insert(ObjectIdentifier(member))
      }
      addedIndex?.remove(ObjectIdentifier(member))
    } else if base == nil || isInBase(member.reference) {
      removed.insert(member.reference)
    }
    if let index = order?.firstIndex(where: { $0 === member }) { order!.remove(at: index) }
  }

  /// Undoes that a member was added or removed, without a trace.
  func revert(_ member: NSManagedObject) {
    noteChange()
    if isAdded(member) {
      remove(member)
    } else if removed.remove(member.reference) != nil, order != nil {
      order!.append(member)
    }
  }

  /// Whether members in the store's set have temporary ids, as in a child of a context that has not saved them. New
  /// ones are at the end.
  var hasTemporaryMembers: Bool { base?.reversed().contains { $0.key < 0 } ?? false }

  /// Called when members with temporary ids have got permanent ones.
  func rename(_ renamed: [RowReference: RowReference]) {
    // In place, since one of very many may have been new.
    for index in 0..<(base?.count ?? 0) where base![index].key < 0 {
      if let name = renamed[base![index]] { base![index] = name }
    }
    if removed.contains(where: { $0.key < 0 }) { removed = Set(removed.map { renamed[$0] ?? $0 }) }
  }

  /// Drops members whose rows are gone, as if they had never been any.
  func removeMembers(_ lost: LostObjects, references: Set<RowReference>) {
    noteChange()
    if !departed.isEmpty { takeOutDeparted() }
    arrivals.removeAll(where: lost.contains)
    addedIndex = nil
    if !removed.isEmpty { removed = removed.filter { !references.contains($0) } }
    base?.removeAll(where: references.contains)
    order?.removeAll(where: lost.contains)
  }

  /// Sets the order of an ordered relationship. `members` must be exactly its current members.
  func reorder(_ members: ContiguousArray<NSManagedObject>) {
    noteChange()
    order = members
  }

  /// Puts members back into the store's order, new ones after them.
  func discardOrder() {
    noteChange()
    order = nil
  }

  /// Drops added and removed members. The store's members are read again when they are needed.
  func discardChanges(keepingBase: Bool) {
    arrivals = []
    departed = []
    addedIndex = nil
    removed = []
    order = nil
    noteChange()
    if !keepingBase { base = nil }
  }

  /// Takes the store's members, which were not known yet; nil if they can't be read. Those that were added or removed
  /// both here and there are no longer recorded as changes.
  func read(_ members: ContiguousArray<RowReference>?) {
    base = members
    guard let members, isChanged else { return }
    if !removed.isEmpty { removed.formIntersection(members) }
    if arrivals.isEmpty { return }
    let known = Set(added.lazy.map(\.reference)).intersection(members)
    if known.isEmpty { return }
    arrivals.removeAll { known.contains($0.reference) }
    addedIndex = nil
  }

  /// Takes the store's current members. Members added or removed both here and there are no longer recorded as changes.
  /// A changed order stays; members that the store has lost are taken out of it, those that it has gained come last.
  func refresh(_ base: ContiguousArray<RowReference>, object: (RowReference) -> NSManagedObject) {
    let members = Set(base)
    if let former = self.base, order != nil { adjustOrder(from: Set(former), to: base, members, object) }
    self.base = base
    noteChange()
    if !departed.isEmpty { takeOutDeparted() }
    arrivals.removeAll { members.contains($0.reference) }
    addedIndex = nil
    removed.formIntersection(members)
  }

  private func adjustOrder(
    from former: Set<RowReference>, to base: ContiguousArray<RowReference>, _ members: Set<RowReference>,
    _ object: (RowReference) -> NSManagedObject
  ) {
    order!.removeAll { former.contains($0.reference) && !members.contains($0.reference) }
    let known = former.union(order!.lazy.map(\.reference)).union(removed)
    for reference in base where !known.contains(reference) { order!.append(object(reference)) }
  }

  /// Lets go of members that were deleted since: they would pile up as long as the set is not read.
  private func letGoOfDeleted(_ owner: ObjectOwner) {
    saved.removeAll { $0.owner !== owner }
    savedLimit = max(64, saved.count * 2)
  }

  /// Called after a save: the current members are now the store's. A new member that was deleted, and so has left its
  /// context, is not among them.
  func adoptChanges(in owner: ObjectOwner) {
    if isUsed {
      saved += order ?? added
      if saved.count > savedLimit { letGoOfDeleted(owner) }
    }
    if let order {
      base = ContiguousArray(order.lazy.filter { $0.owner === owner }.map(\.reference))
    } else if base != nil {
      // Taken out and put back, so that a few new ones among very many take no copy.
      var members = ContiguousArray<RowReference>()
      swap(&members, &base!)
      if !removed.isEmpty { members.removeAll(where: removed.contains) }
      let added = added
      if members.isEmpty { members.reserveCapacity(added.count) }
      added.forEachHeld { if $0.owner === owner { members.append($0.reference) } }
      base = members
    }
    arrivals = []
    departed = []
    addedIndex = nil
    removed = []
    order = nil
  }
}
