/// A store that somebody else has written: its methods take managed objects.
///
/// The stack speaks in rows to it as to all others; the two classes of this room translate.
protocol ObjectStore: RowStore {
  /// The keys that new objects are to be saved under, in their order.
  func reserveKeys(for objects: [NSManagedObject]) throws -> [Int64]

  /// Writes all of the change set or none of it, by methods that take its objects.
  func commit(_ changes: ChangeSet, of objects: ChangedObjects) throws -> SaveOutcome
}

/// The managed objects of a change set. Belongs to the context's queue, on which the save runs.
final class ChangedObjects {
  let context: NSManagedObjectContext
  private let find: (RowReference) -> NSManagedObject

  init(context: NSManagedObjectContext, find: @escaping (RowReference) -> NSManagedObject) {
    self.context = context
    self.find = find
  }

  func object(_ reference: RowReference) -> NSManagedObject { find(reference) }

  func set(_ references: some Sequence<RowReference>) -> Set<NSManagedObject> { Set(references.map(find)) }
}

extension NSPersistentStore {
  /// What a method does that a subclass has to override.
  final func mustOverride(_ method: StaticString) -> Never {
    fatalError("\(Swift.type(of: self)) must override \(method).")
  }

  /// The error for something that a subclass' method may not return.
  final func broken(_ method: StaticString, _ what: String) -> Failure {
    .storeContract(store: "\(Swift.type(of: self))", method: "\(method)", what: what)
  }
}
