/// The members of an ordered relationship, each once. With many members an index finds one, so that a save of as many
/// links takes no time for each pair of them.
struct MemberList {
  /// Up to here, looking at all members costs less than an index.
  private static let few = 32

  /// The members in their order. Where there is an index, also entries of members that have left.
  private var entries: ContiguousArray<RowReference>
  /// Where each member stands in `entries`. Any other entry is of one that has left. Nil with few members, and until a
  /// member is looked for.
  private var places: [RowReference: Int]?

  init(_ members: [RowReference] = []) { entries = ContiguousArray(members) }

  var isEmpty: Bool { places?.isEmpty ?? entries.isEmpty }

  var members: [RowReference] {
    guard let places, places.count < entries.count else { return Array(entries) }
    var members: [RowReference] = []
    members.reserveCapacity(places.count)
    for (place, entry) in entries.enumerated() where places[entry] == place { members.append(entry) }
    return members
  }

  /// Puts a member at the end, unless it is one already.
  mutating func append(_ member: RowReference) {
    makeIndex()
    if places == nil {
      if !entries.contains(member) { entries.append(member) }
    } else if places?[member] == nil {
      places?[member] = entries.count
      entries.append(member)
    }
  }

  mutating func remove(_ member: RowReference) {
    makeIndex()
    guard places != nil else {
      if let place = entries.firstIndex(of: member) { entries.remove(at: place) }
      return
    }
    places?.removeValue(forKey: member)
    if let count = places?.count, count < entries.count / 2 {
      entries = ContiguousArray(members)
      places = nil
    }
  }

  private mutating func makeIndex() {
    guard places == nil, entries.count > MemberList.few else { return }
    places = Dictionary(entries.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
