/// A list that follows its context: a fetched results controller's.
///
/// An object that another context's save changes may come to belong in the list, though this context has never seen it.
/// A merge makes objects only of what is new, so that it asks the lists which of the others it is to make too.
protocol ChangeFollower: AnyObject {
  /// Whether an object of an entity could belong in the list, as far as can be said without its values. On the
  /// context's queue.
  func mayTake(_ layout: EntityLayout, of store: StoreIdentity?) -> Bool
}

/// The lists that follow a context, which keeps none of them alive. On the context's queue.
struct ChangeFollowers {
  private struct Entry {
    weak var follower: (any ChangeFollower)?
  }

  private var entries: [Entry] = []

  /// Those that are there still.
  var living: [any ChangeFollower] { entries.isEmpty ? [] : entries.compactMap(\.follower) }

  mutating func add(_ follower: any ChangeFollower) {
    entries.removeAll { $0.follower == nil }
    entries.append(Entry(follower: follower))
  }
}

extension NSManagedObjectContext {
  /// From the list's first fetch on.
  func addFollower(_ follower: any ChangeFollower) { followers.add(follower) }
}
