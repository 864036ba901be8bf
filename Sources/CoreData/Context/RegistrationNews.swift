/// What stores of a client's class are to be told: which of their objects a context has, and which no longer.
///
/// Gathered under the lock of the identity map, and told once that is free, because a store's methods may do anything.
struct RegistrationNews {
  private var list: [(store: StoreIdentity, id: NSManagedObjectID, isThere: Bool)] = []

  var isEmpty: Bool { list.isEmpty }

  mutating func add(_ object: NSManagedObject, of store: StoreIdentity, isThere: Bool) {
    list.append((store, NSManagedObjectID(layout: object.layout, key: object.key, store: store), isThere))
  }

  /// Tells each store of as many objects at once as follow each other.
  func tell() {
    var rest = list[...]
    while let first = rest.first {
      let group = rest.prefix { $0.store === first.store && $0.isThere == first.isThere }
      (first.store.store as? NSIncrementalStore)?.tell(of: group.map(\.id), areThere: first.isThere)
      rest = rest.dropFirst(group.count)
    }
  }
}
