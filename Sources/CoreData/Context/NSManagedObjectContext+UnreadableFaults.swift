/// Faults whose rows can't be read, because the disk fails, the store's file is gone, or a server is away. A property
/// can't throw, so there are two ways to keep the program running: read beforehand with a call that throws, or decide
/// in a handler.
///
/// Apple's framework has neither; there such a fault raises an exception.
extension NSManagedObjectContext {
  /// What happens when you use a fault that can't be read.
  public enum UnreadableFaultAnswer: Sendable {
    /// The store is asked again. A handler that always answers this can keep its queue busy for ever.
    case retry
    /// The property reads as empty: nil, 0, no members. The object stays a fault, so its next use asks the store again.
    /// It is never taken for deleted. Changing the object ends the program, since the change could not be saved.
    case keepFault
    /// The program ends with a report of the error.
    case stop
  }

  /// Gets the object's id and the store's error. It runs on the context's queue, in the middle of an access to a
  /// property. It may log, wait or notify other code, and must not use the context.
  public typealias UnreadableFaultHandler = @Sendable (NSManagedObjectID, any Error) -> UnreadableFaultAnswer

  /// Reads faults in, so that their properties can be used without asking a store.
  ///
  ///     try context.fulfil(books, relationshipKeyPaths: ["author"])
  ///     for book in books { print(book.title, book.author?.name ?? "") }
  ///
  /// One statement reads some hundred rows. Objects that aren't faults stay as they are.
  ///
  /// - Parameters:
  ///   - objects: objects of this context.
  ///   - paths: relationships whose destinations are read, too, as
  ///     ``NSFetchRequest/relationshipKeyPathsForPrefetching`` has them. Names that an entity lacks are ignored.
  /// - Throws: the store's error; for an object whose row is gone, `NSManagedObjectReferentialIntegrityError` (133000).
  ///   What was read until then stays read.
  public func fulfil(_ objects: [NSManagedObject], relationshipKeyPaths paths: [String] = []) throws {
    guardQueue("fulfil(_:relationshipKeyPaths:)")
    for object in objects where object.owner !== owner {
      misuse("fulfil(_:relationshipKeyPaths:) was given an object of another context than \(label).")
    }
    let faults = objects.filter { $0.state.contains(.fault) }
    try readRows(of: faults)
    for object in faults where object.state.contains(.fault) { _ = try requireRow(of: object) }
    for path in paths { try prefetch(path, from: objects) }
  }

  /// The handler of the nearest context that has one, going up from this context.
  final var inheritedUnreadableFaultHandler: UnreadableFaultHandler? {
    var context: NSManagedObjectContext? = self
    while let next = context {
      if let handler = next.unreadableFaultHandler { return handler }
      context = next.parent
    }
    return nil
  }

  /// The result of `read`; nil if it throws and the handler keeps the fault.
  func read<Result>(
    for object: NSManagedObject, _ property: LayoutProperty? = nil, _ read: () throws -> Result
  ) -> Result? {
    while true {
      do { return try read() } catch {
        switch inheritedUnreadableFaultHandler?(object.objectID, error)
          ?? standardAnswer(object, property: property, error: error)
        {
        case .retry: continue
        case .keepFault: return nil
        case .stop: misuse(.unreadable(object, property: property, error: error))
        }
      }
    }
  }

  /// The rule for a context without a handler. A custom store may be a server, which can be away for a while: its fault
  /// is kept, with a warning. All others end the program.
  private final func standardAnswer(
    _ object: NSManagedObject, property: LayoutProperty?, error: any Error
  ) -> UnreadableFaultAnswer {
    guard owner.storeIdentity(object.store)?.asksContexts == true else { return .stop }
    warn(.kept(object, property: property, error: error))
    return .keepFault
  }
}

extension MisuseReport {
  fileprivate static func unreadable(
    _ object: NSManagedObject, property: LayoutProperty?, error: any Error
  ) -> MisuseReport {
    MisuseReport(
      unread(object, property), facts: [("Error", error.localizedDescription)],
      how: "The object was a fault, and its store threw when a property was used.",
      remedy: "Use fulfil(_:) before, which throws the error, or set unreadableFaultHandler.")
  }

  fileprivate static func kept(
    _ object: NSManagedObject, property: LayoutProperty?, error: any Error
  ) -> MisuseReport {
    MisuseReport(
      unread(object, property), facts: [("Error", error.localizedDescription)],
      how: "The object was a fault, and its store threw when a property was used. It reads as empty until the store "
        + "answers; it is not taken for deleted.",
      remedy: "Use fulfil(_:) or existingObject(with:), which throw the error, or set unreadableFaultHandler.")
  }

  private static func unread(_ object: NSManagedObject, _ property: LayoutProperty?) -> String {
    let what = property.map { "The relationship \(object.layout.name).\($0.name)" } ?? "The values"
    return "\(what) of \(object.objectID.description) could not be read."
  }
}
