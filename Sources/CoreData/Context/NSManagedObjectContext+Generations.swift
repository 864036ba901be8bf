/// Which state of the stores a context reads.
enum ReadGeneration {
  /// The newest committed state.
  case newest
  /// The state that the next read finds, from then on.
  case nextRead
  case pinned(QueryGeneration)
}

/// Reading one state of the stores, whatever is saved meanwhile.
///
/// The states, and what leads from one to the other. A read is a fetch, a count, a fault or a relationship:
///
///     newest   ──setQueryGenerationFrom(.current)──▶ nextRead
///     nextRead ──read──▶ pinned, or newest where no store can be pinned
///     pinned   ──setQueryGenerationFrom(.current), mergeChanges, reset──▶ nextRead
///     pinned, nextRead ──save──▶ pinned, to what is committed then
///     any      ──setQueryGenerationFrom(token of another context)──▶ what that context has
///     any      ──setQueryGenerationFrom(nil)──▶ newest
///
/// A pinned context neither takes rows from the cache that unpinned ones share nor puts any there.
extension NSManagedObjectContext {
  /// The state that the context is pinned to: nil if it reads the newest committed state,
  /// ``NSQueryGenerationToken/current`` between pinning and the first read. nil for a child context, which reads from
  /// its parent.
  public var queryGenerationToken: NSQueryGenerationToken? {
    guardQueue("queryGenerationToken")
    switch generation {
    case .newest: return nil
    case .nextRead: return .current
    case .pinned(let generation): return generation.token
    }
  }

  /// Pins the context to one state of its stores, or lets it read the newest again.
  ///
  /// - `nil`: unpinned, the default.
  /// - ``NSQueryGenerationToken/current``: the state that the next fetch, count, fault or relationship finds.
  /// - another context's ``queryGenerationToken``: the state that the other context reads. Throws when no context is
  ///   pinned to it now, or when it belongs to another coordinator.
  ///
  /// Only SQLite stores with a write-ahead log can be pinned. Other stores are read as they are. Without any store
  /// that can be pinned the context is unpinned again at its first read. Stores that you add later are not read until
  /// you pin the context again.
  ///
  /// Objects that have been read keep their values until they are refreshed. Saving, merging another context's
  /// save and ``reset()`` move the pin to the newest state; ``rollback()`` doesn't. So a context that
  /// ``automaticallyMergesChangesFromParent`` moves with each save that it merges.
  ///
  /// A pinned context keeps a read transaction open, and with it all of the write-ahead log that is written meanwhile.
  /// Move on, or unpin, when you no longer need the old state. Setting a child context's generation is a misuse.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    guardQueue("setQueryGenerationFrom(_:)")
    if parent != nil { misuse(.generationOfChild(self)) }
    stateNumber += 1
    guard let generation else { return setGeneration(.newest) }
    if generation.isCurrent { return setGeneration(.nextRead) }
    guard let living = QueryGeneration.living(generation) else {
      throw Failure.queryGenerationUnavailable("no context is pinned to it now").nsError
    }
    guard let persistentStoreCoordinator, living.isAbout(persistentStoreCoordinator) else {
      throw Failure.queryGenerationUnavailable("it belongs to other stores than the context's").nsError
    }
    setGeneration(.pinned(living))
  }

  /// Whether the context is pinned, or will be by its next read.
  var isPinned: Bool {
    if case .newest = generation { return false }
    return true
  }

  private func setGeneration(_ new: ReadGeneration) {
    generation = new
    dropRowsOfFaults()
  }

  /// Faults may have rows of a state that this context no longer reads.
  func dropRowsOfFaults() {
    for object in owner?.allObjects ?? []
    where object.state.contains(.fault) && object.state.isDisjoint(with: .pending) { object.row = nil }
  }

  /// Called when the context goes on to a newer state: if it is pinned, it finds that at its next read.
  func moveGeneration() {
    stateNumber += 1
    if isPinned { setGeneration(.nextRead) }
  }

  /// The merge policy may have read rows that are newer than the generation, for a save that then failed.
  func dropRowsOfConflicts() {
    if isPinned { dropRowsOfFaults() }
  }

  /// Pins a pinned context to what its save has made. When that fails, the next read tries again and says why.
  func pinAfterSave() {
    moveGeneration()
    guard isPinned else { return }
    _ = try? pinnedGeneration()
  }

  /// The generation to read; nil for the newest state. Pins the context if it is to be.
  func pinnedGeneration() throws -> QueryGeneration? {
    switch generation {
    case .newest: return nil
    case .pinned(let generation): return generation
    case .nextRead:
      guard let persistentStoreCoordinator else { return nil }
      let new = try publicErrors { try QueryGeneration(pinning: persistentStoreCoordinator.persistentStores) }
      setGeneration(new.map { .pinned($0) } ?? .newest)
      return new
    }
  }

  // Inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// The reader for the rows of a store.
  @inline(__always)
  func reader(of store: UInt16) throws -> (any RowReader)? {
    guard let identity = owner.storeIdentity(store) else { return nil }
    if isPinned, let generation = try pinnedGeneration() { return try generation.reader(of: identity, for: self) }
    return try identity.reader ?? identity.rowStore?.reader(for: self)
  }
}

extension MisuseReport {
  fileprivate static func generationOfChild(_ context: NSManagedObjectContext) -> MisuseReport {
    MisuseReport(
      "The query generation of the child context \(context.label) was set.",
      how: "A child context reads what its parent reads, so it has no generation of its own.",
      remedy: "Set the generation of the parent context.")
  }
}
