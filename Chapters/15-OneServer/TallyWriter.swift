import CoreData

/// One of the writers that add to a tally.
public struct TallyWriter {
  let context: NSManagedObjectContext

  public init(_ library: ServerLibrary, policy: NSMergePolicy = .error) {
    context = library.container.newBackgroundContext()
    context.mergePolicy = policy
    context.transactionAuthor = "a writer"
  }

  //> read-and-save
  /// Reads the tally as it is now, and adds one to it in memory.
  public func read(_ name: String) throws {
    try context.performAndWait {
      context.reset()
      try Tally.named(name, in: context).total += 1
    }
  }

  /// - Returns: Whether the store took it; false if the row is not what was read.
  public func save() throws -> Bool {
    try context.performAndWait {
      do {
        try context.save()
        return true
      } catch let error as NSError where error.code == NSManagedObjectMergeError {
        return false
      }
    }
  }
  //< read-and-save

  //> add
  /// Adds one, however often another writer comes first.
  ///
  /// - Returns: How many saves were refused on the way.
  public func add(_ name: String) throws -> Int {
    var refused = 0
    while true {
      try read(name)
      if try save() { return refused }
      refused += 1
    }
  }
  //< add

  //> add-in-place
  /// Adds one to what the server has. Nothing is read, so nothing can be out of date.
  public func addInPlace(_ name: String) throws {
    let request = NSBatchUpdateRequest(entityName: "Tally")
    request.predicate = NSPredicate(format: "name == %@", name)
    request.propertiesToUpdate = ["total": NSExpression(format: "total + 1")]
    _ = try context.performAndWait { try context.execute(request) }
  }
  //< add-in-place
}
