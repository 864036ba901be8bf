/// What turns the members of a to-many relationship into others.
///
/// Most edits of an ordered relationship are of one place in a long list. So the members at both ends that stay where
/// they are cost no more than a comparison of references.
struct MemberEdit {
  /// Members that leave.
  let leaving: [NSManagedObject]
  /// Members that come, in their order.
  let entering: [NSManagedObject]
  /// The members after the edit, each once.
  let result: ContiguousArray<NSManagedObject>
  /// Whether taking out those that leave, and putting those that come at the end, gives this order.
  let keepsOrder: Bool

  /// - Parameter isMember: whether an object is one of the former members.
  init(
    from old: ContiguousArray<NSManagedObject>, to new: ContiguousArray<NSManagedObject>,
    isMember: (NSManagedObject) -> Bool
  ) {
    let same = old.commonEnds(with: new)
    let middle = new[same.start..<new.count - same.end]
    let former = Set(old[same.start..<old.count - same.end].map(ObjectIdentifier.init))
    // A member that is wanted twice belongs at its first place, which only a look at all of them finds.
    if same != (0, 0), middle.contains(where: { !former.contains(ObjectIdentifier($0)) && isMember($0) }) {
      self.init(old, new, start: 0, end: 0, known: Set(old.map(ObjectIdentifier.init)))
    } else {
      self.init(old, new, start: same.start, end: same.end, known: former)
    }
  }

  /// - Parameters:
  ///   - start: how many members at the beginning stay.
  ///   - end: how many at the end.
  ///   - known: the former members between them.
  private init(
    _ old: ContiguousArray<NSManagedObject>, _ new: ContiguousArray<NSManagedObject>, start: Int, end: Int,
    known: Set<ObjectIdentifier>
  ) {
    let former = old[start..<old.count - end]
    var wanted: Set<ObjectIdentifier> = []
    let middle = new[start..<new.count - end].filter { wanted.insert(ObjectIdentifier($0)).inserted }
    leaving = former.filter { !wanted.contains(ObjectIdentifier($0)) }
    entering = middle.filter { !known.contains(ObjectIdentifier($0)) }
    var result = ContiguousArray(old[..<start])
    result += middle
    result += old[(old.count - end)...]
    self.result = result
    let staying = former.filter { wanted.contains(ObjectIdentifier($0)) }
    keepsOrder = (entering.isEmpty || end == 0) && middle.elementsEqual(staying + entering, by: ===)
  }
}

extension ContiguousArray<NSManagedObject> {
  /// How many objects at the beginning and at the end are the same in both, each counted once.
  func commonEnds(with other: ContiguousArray<NSManagedObject>) -> (start: Int, end: Int) {
    let most = Swift.min(count, other.count)
    var start = 0
    while start < most, self[start] === other[start] { start += 1 }
    var end = 0
    while end < most - start, self[count - 1 - end] === other[other.count - 1 - end] { end += 1 }
    return (start, end)
  }
}
