/// Where a context has its objects' saved state from, and where its saves go: the coordinator's stores, or
/// the context above it. Only the two sources know which of them it is.
///
/// Called on the context's queue. What travels are rows, references and ids; no object of one context is seen
/// by another.
protocol ContextSource: AnyObject {
  // Being attached.

  /// The context has got its coordinator.
  func didAttach(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator)

  /// Another context that reads from here and saves to here.
  func sibling(of context: NSManagedObjectContext) -> NSManagedObjectContext

  // Keys.

  /// Whether objects that no store has seen may be found here, under the temporary keys that they have above.
  var keepsTemporaryKeys: Bool { get }

  /// Learns which of the objects that had temporary keys here have permanent ones by now. False where there
  /// can't be such.
  @discardableResult
  func learnKeys(for context: NSManagedObjectContext) -> Bool

  /// Gives objects that are new here their permanent keys, under which the context finds them from now on.
  func obtainPermanentKeys(for objects: [NSManagedObject], in context: NSManagedObjectContext) throws

  // Rows.

  /// The committed row of an object; nil when it is gone.
  func row(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot?

  /// The same past every row that is kept: as it is now.
  func newestRow(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot?

  /// The row of an object where somebody else has it at hand.
  func cachedRow(of object: NSManagedObject, for context: NSManagedObjectContext) -> RowSnapshot?

  /// Reads the rows of many objects, with as few questions as can be; they stay faults.
  func readRows(of objects: [NSManagedObject], for context: NSManagedObjectContext) throws

  /// The committed members of a to-many relationship, in order where it is ordered.
  func members(
    of property: LayoutProperty, in object: NSManagedObject, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference>

  /// Reads the members of a to-many relationship of those objects that have not read them; returns the
  /// members. None where they are as well read object by object.
  func readMembers(
    _ key: String, of objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  // Fetches.

  /// The generation that is read; nil for the newest state. Pins the context if it is to be.
  func generation(for context: NSManagedObjectContext) throws -> QueryGeneration?

  /// What is found, in its order, as objects of the context.
  func objects(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  /// What is found by a fetch that the context puts in order and cuts itself.
  func candidates(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject]

  /// Whether candidates come from several places, each in an order of its own.
  func isSpread(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Bool

  /// The ids of what is found, without making objects; nil where that can't be.
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

  /// Gives new objects what their rows need: permanent keys, or a store. Returns the keys that stores have only named.
  ///
  /// - Parameter reserving: Whether stores are to reserve keys rather than name them.
  func prepare(
    _ new: ContiguousArray<NSManagedObject>, for context: NSManagedObjectContext, reserving: Bool
  ) throws -> [StoreKeys]

  /// Throws if a plan can't be carried out.
  func check(_ plan: SavePlan) throws

  /// Takes the changes: all of them, or none where something speaks against them.
  func commit(_ plan: SavePlan, for context: NSManagedObjectContext) throws -> StoreConflicts

  /// Whether there is something to save besides objects.
  func hasUnsavedMetadata(for context: NSManagedObjectContext) -> Bool

  /// The place in the stores' history behind a save; nil without one.
  func historyToken(after plan: SavePlan, of context: NSManagedObjectContext) -> NSPersistentHistoryToken?

  /// Tells the other contexts that read from here of a save.
  func announce(_ plan: SavePlan, of context: NSManagedObjectContext)

  /// Who makes a batch request's changes.
  func batchOrigin(of context: NSManagedObjectContext) -> ChangeOrigin
}

extension ContextSource {
  /// Whether an object with such a key may be found here.
  func mayHave(_ key: Int64) -> Bool { key > 0 || keepsTemporaryKeys }
}
