/// A store of a client's class, whose methods take managed objects.
///
/// The stack uses rows with it as with all others; the two classes of this room translate.
protocol ObjectStore: RowStore {
  /// The keys for new objects, in their order.
  func reserveKeys(for objects: [NSManagedObject]) throws -> [Int64]

  /// Writes all of the change set or none of it, with methods that take its objects.
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
  /// The default of a method that a subclass has to override: it traps.
  final func mustOverride(_ method: StaticString) -> Never {
    misuse("\(Swift.type(of: self)) must override \(method).")
  }

  /// The error for something that a subclass's method must not return.
  final func broken(_ method: StaticString, _ what: String) -> Failure {
    .storeContract(store: "\(Swift.type(of: self))", method: "\(method)", what: what)
  }
}
