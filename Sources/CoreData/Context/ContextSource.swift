/// Where a context reads its objects' saved state and sends its saves: the coordinator's stores, or its parent context.
/// Only the two sources know which of them it is.
///
/// Called on the context's queue. Rows, references and ids are passed; no context sees another's objects. The context
/// comes with each question, though a source has one context only: a link back to it would be counted for each fault
/// that is read.
protocol ContextSource: AnyObject {
  // Being attached.

  /// The context got its coordinator.
  func didAttach(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator)

  /// Another context reads from here and saves to here.
  func sibling(of context: NSManagedObjectContext) -> NSManagedObjectContext

  // Keys.

  /// Whether objects that no store has seen may be found here, by the temporary keys that they have in the parent.
  var keepsTemporaryKeys: Bool { get }

  /// Learns which objects with temporary keys have permanent ones by now. False if there can't be any.
  @discardableResult
  func learnKeys(for context: NSManagedObjectContext) -> Bool

  /// The context has no objects, and knows no former keys yet, or has forgotten them: it begins with those that are
  /// known above.
  func beginKeys(of context: NSManagedObjectContext)

  /// A save was adopted, so that new members of relationships are stored ones, perhaps by temporary keys.
  func noteTemporaryMembers(of plan: SavePlan)

  /// Gives new objects their permanent keys; from now on the context finds them by these.
  func obtainPermanentKeys(for objects: [NSManagedObject], in context: NSManagedObjectContext) throws

  // Rows.

  /// The committed row of an object; nil when it is gone.
  func row(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot?

  /// The row as the store has it now, past every cache.
  func newestRow(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot?

  /// The row of an object, if a cache or the parent has it at hand.
  func cachedRow(of object: NSManagedObject, for context: NSManagedObjectContext) -> RowSnapshot?

  /// Reads the rows of many objects with as few questions as possible. The objects stay faults.
  func readRows(of objects: [NSManagedObject], for context: NSManagedObjectContext) throws

  /// Those of the objects whose rows are gone, found with as few questions as possible. None of them changes.
  func objectsWithoutRows(
    among objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  /// The committed members of a to-many relationship, in order where it is ordered.
  func members(
    of property: LayoutProperty, in object: NSManagedObject, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference>

  /// The committed members of a to-many relationship; nil if they are more than the limit and the source can tell so
  /// without reading all of them.
  func members(
    of property: LayoutProperty, in object: NSManagedObject, atMost limit: Int, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference>?

  /// Reads the members of a to-many relationship for those objects that lack them, and returns the members. Returns
  /// none if reading object by object is as good.
  func readMembers(
    _ key: String, of objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  // Fetches.

  /// The generation to read; nil for the newest state. Pins the context first if it waits to be pinned.
  func generation(for context: NSManagedObjectContext) throws -> QueryGeneration?

  /// The result, in its order, as objects of the context.
  func objects(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  /// The result of a fetch that the context itself sorts and cuts.
  func candidates(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  /// Whether results come from several stores, each in an order of its own.
  func isSpread(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Bool

  /// The ids of the results, without making objects; nil if that is impossible.
  func ids(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID]?

  func count(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Int

  /// Whether FETCH expressions are answered here, by sub-selects.
  func translatesFetches(for context: NSManagedObjectContext) -> Bool

  /// Whether a fetch may be answered on any thread.
  func answersAnywhere(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Bool

  // Saves.

  /// Gives new objects what their rows need, permanent keys or a store. Returns the keys that stores have only named.
  ///
  /// - Parameter reserving: Whether stores reserve keys rather than only name them.
  func prepare(
    _ new: ContiguousArray<NSManagedObject>, for context: NSManagedObjectContext, reserving: Bool
  ) throws -> [StoreKeys]

  /// Throws if a plan can't be carried out.
  func check(_ plan: SavePlan) throws

  /// Takes all of the changes, or none if there is a conflict.
  func commitPlan(_ plan: SavePlan, for context: NSManagedObjectContext) throws -> StoreConflicts

  /// Whether there is something to save besides objects.
  func hasUnsavedMetadata(for context: NSManagedObjectContext) -> Bool

  /// The place in the stores' history after a save; nil without history.
  func historyToken(after plan: SavePlan, of context: NSManagedObjectContext) -> NSPersistentHistoryToken?

  /// Tells the other contexts that read from here of a save.
  func announce(_ plan: SavePlan, of context: NSManagedObjectContext)

  /// The author of a batch request's changes, for history.
  func batchOrigin(of context: NSManagedObjectContext) -> ChangeOrigin
}

extension ContextSource {
  /// Whether an object with such a key may be found here.
  func mayHave(_ key: Int64) -> Bool { key > 0 || keepsTemporaryKeys }

  func members(
    of property: LayoutProperty, in object: NSManagedObject, atMost limit: Int, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference>? {
    try members(of: property, in: object, for: context)
  }
}

extension ContextSource {
  /// The row, if it is of the object's entity. Else this throws: code that knows an object's layout reads the words of
  /// its row by that layout, without a check.
  func matching(_ row: RowSnapshot?, _ object: NSManagedObject) throws -> RowSnapshot? {
    guard let row, row.entity != object.places.entity else { return row }
    let layout = object.layout.model.layouts[row.entity]
    throw Failure.otherEntity(id: object.objectID, entity: layout.name).nsError
  }
}
