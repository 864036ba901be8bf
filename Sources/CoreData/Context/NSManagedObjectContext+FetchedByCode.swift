/// Fetches that contain the program's code: block predicates, block expressions, comparators.
///
/// Such code needs objects. If the stores have their rows in memory, the fetch is evaluated over this context's
/// objects: all of the entity become objects of the context. SQLite stores refuse such a fetch; custom stores may run
/// it.
extension NSManagedObjectContext {
  func runsCodeHere(_ description: FetchDescription, _ options: FetchOptions) throws -> Bool {
    guard description.runsCode else { return false }
    return try coordinator(for: "fetch(_:)").evaluates(
      description, asked: options.stores, generation: source.generation(for: self))
  }

  /// The objects that the code accepts, in its order.
  func foundByCode(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSManagedObject] {
    if options.pendingChanges || ledger.isEmpty {
      return try overlaid(description, options)
    }
    // The saved state is that of the objects in another context.
    let saved = source.sibling(of: self)
    let ids = try saved.performAndWait {
      try saved.overlaid(description, options).map(\.objectID)
    }
    return ids.map { object(with: $0) }
  }

  /// The fetch of dictionaries with the code replaced by the ids of the objects that it accepts.
  func runningCode(of description: FetchDescription, _ options: FetchOptions) throws -> FetchDescription {
    guard try runsCodeHere(description, options) else { return description }
    for key in description.sort {
      try publicErrors { try key.checkTranslatable(entity: description.layout.name) }
    }
    var choice = description.uncut
    choice.output = .rows
    choice.sort = []
    var saved = options
    saved.pendingChanges = false
    let found = try foundByCode(choice, saved).map { PredicateConstant.object($0.objectID) }
    var plain = description
    plain.predicate = .comparison(Comparison(.evaluatedObject, .in, .constant(.collection(found))))
    return plain
  }
}
