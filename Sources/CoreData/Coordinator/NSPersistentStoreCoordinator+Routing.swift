/// What stores answered that had something against a commit.
struct StoreConflicts {
  var versions: [(store: StoreIdentity, conflict: VersionConflict)] = []
  var constraints: [(store: StoreIdentity, conflict: ConstraintConflict)] = []
  /// Rows that the stores themselves changed further while they wrote.
  var rewritten: [(store: StoreIdentity, row: RowSnapshot)] = []

  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty }
}

/// What one store answered to a fetch.
typealias StoreAnswer = (store: StoreIdentity, outcome: FetchOutcome)

extension [StoreAnswer] {
  /// The sum of the stores' counts.
  var total: Int {
    reduce(0) { sum, answer in
      guard case .count(let count) = answer.outcome else { return sum }
      return sum + count
    }
  }

  var dictionaries: [NSDictionary] {
    flatMap { answer in
      guard case .dictionaries(let rows) = answer.outcome else { return [NSDictionary]() }
      return rows
    }
  }
}

extension ExpressionNode {
  fileprivate var isFunction: Bool { if case .function = self { true } else { false } }
}

/// Which store a request goes to.
extension NSPersistentStoreCoordinator {
  /// The stores a fetch asks: those that hold the entity, in order of adding; and where each is read. A generation
  /// leaves out what was added after it.
  private func rowReaders(
    for layout: EntityLayout, among asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> [(store: NSPersistentStore, reader: any RowReader)] {
    let all = persistentStores
    if all.isEmpty {
      throw Failure.noStoreForEntity(entity: layout.name).nsError
    }
    var readers: [(store: NSPersistentStore, reader: any RowReader)] = []
    for store in all where (asked?.contains { $0 === store } ?? true) && holds(store, layout) {
      guard let rows = store as? any RowStore else {
        throw Failure.unsupportedFeature("Fetching from a store of class \(type(of: store))").nsError
      }
      guard let generation else {
        readers.append((store, rows))
        continue
      }
      if let reader = generation.reader(of: store.identity) { readers.append((store, reader)) }
    }
    return readers
  }

  func holds(_ store: NSPersistentStore, _ layout: EntityLayout) -> Bool {
    guard store.configurationName != NSPersistentStore.defaultConfigurationName else { return true }
    let entities = managedObjectModel.entities(forConfigurationName: store.configurationName) ?? []
    return entities.contains { layouts.layout(of: $0)?.rootIndex == layout.rootIndex }
  }

  /// The first store that can take new objects of an entity.
  func storeForNewObjects(of layout: EntityLayout) throws -> NSPersistentStore {
    let candidates = persistentStores.filter { holds($0, layout) }
    if let store = candidates.first(where: { !$0.isReadOnly }) { return store }
    if let readOnly = candidates.first { throw Failure.readOnlyStore(url: readOnly.url, entity: layout.name).nsError }
    throw Failure.noStoreForEntity(entity: layout.name).nsError
  }

  func reserveKeys(_ count: Int, in root: EntityLayout, _ store: NSPersistentStore) throws -> Int64 {
    guard let rows = store as? any RowStore else {
      throw Failure.unsupportedFeature("Saving to a store of class \(type(of: store))").nsError
    }
    if store.isReadOnly { throw Failure.readOnlyStore(url: store.url, entity: root.name).nsError }
    return try publicErrors { try rows.reserveKeys(count, in: root) }
  }

  /// Whether several stores have objects of what a fetch looks for.
  func isSpread(
    _ description: FetchDescription, _ asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> Bool {
    let all = persistentStores
    return try all.count > 1 && rowReaders(for: description.layout, among: asked, generation).count > 1
  }

  /// Asks every store that holds the entity, in the order of adding. With several stores the common order, limit and
  /// offset are the caller's to restore.
  func answers(
    to description: FetchDescription, stores asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> [StoreAnswer] {
    let stores = try rowReaders(for: description.layout, among: asked, generation)
    return try publicErrors { try stores.map { ($0.store.identity, try $0.reader.rows(for: description)) } }
  }

  func count(
    for description: FetchDescription, stores asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> Int {
    guard try isSpread(description, asked, generation) else {
      return try answers(to: description, stores: asked, generation).total
    }
    var whole = description
    whole.limit = 0
    whole.offset = 0
    let rest = max(try answers(to: whole, stores: asked, generation).total - description.offset, 0)
    return description.limit > 0 ? min(rest, description.limit) : rest
  }

  func dictionaries(
    for description: FetchDescription, stores asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> [NSDictionary] {
    if case .dictionaries(let request) = description.output, try isSpread(description, asked, generation),
      !description.sort.isEmpty || description.limit > 0 || description.offset > 0 || request.isDistinct
        || !request.groupBy.isEmpty || request.columns.contains(where: \.expression.isFunction)
    {
      throw Failure.unsupportedFeature(
        "Sorting, limiting, grouping, distinct or computed dictionaries over several stores").nsError
    }
    return try answers(to: description, stores: asked, generation).dictionaries
  }

  /// Hands each store its changes. Empty when all of them wrote; with several stores a later one may refuse what
  /// an earlier one has written, which is then said in the error.
  func commit(_ changeSets: [(store: NSPersistentStore, changes: ChangeSet)]) throws -> StoreConflicts {
    var conflicts = StoreConflicts()
    var written: [NSPersistentStore] = []
    for (store, changes) in changeSets {
      guard let rows = store as? any RowStore else {
        throw Failure.unsupportedFeature("Saving to a store of class \(type(of: store))").nsError
      }
      do {
        switch try rows.commit(changes) {
        case .saved(let rewritten):
          written.append(store)
          conflicts.rewritten += rewritten.map { (store.identity, $0) }
        case .versionConflicts(let found):
          conflicts.versions += found.map { (store.identity, $0) }
        case .constraintConflicts(let found):
          conflicts.constraints += found.map { (store.identity, $0) }
        }
      } catch {
        let error = (error as? Failure)?.nsError ?? error as NSError
        if written.isEmpty { throw error }
        throw Failure.incompleteSave(stores: [store], errors: [error]).nsError
      }
    }
    if !conflicts.isEmpty, !written.isEmpty {
      throw Failure.incompleteSave(stores: changeSets.map(\.store).filter { !written.contains($0) }, errors: [])
        .nsError
    }
    RemoteChanges.announce(written)
    return conflicts
  }

  func publicErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure.nsError
    }
  }
}
