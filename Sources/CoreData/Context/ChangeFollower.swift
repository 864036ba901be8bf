/// A list that follows its context, as that of a fetched results controller does.
///
/// When another context saves a change, an object that this context has never seen may come to belong in the list. A
/// merge makes objects only for new rows, so it asks the lists which changed rows need one as well.
protocol ChangeFollower: AnyObject {
  /// Whether an object of an entity could belong in the list, judged without its values. Called on the context's queue.
  func mayTake(_ layout: EntityLayout, of store: StoreIdentity?) -> Bool
}

/// The lists that follow a context. It does not keep them alive. Used on the context's queue.
struct ChangeFollowers {
  private struct Entry {
    weak var follower: (any ChangeFollower)?
  }

  private var entries: [Entry] = []

  /// The lists that are still alive.
  var living: [any ChangeFollower] { entries.isEmpty ? [] : entries.compactMap(\.follower) }

  mutating func add(_ follower: any ChangeFollower) {
    entries.removeAll { $0.follower == nil }
    entries.append(Entry(follower: follower))
  }
}

extension NSManagedObjectContext {
  /// Adds a list, at its first fetch.
  func addFollower(_ follower: any ChangeFollower) { followers.add(follower) }
}
