/// A store in a SQLite file of Apple's layout.
///
/// `loadMetadata()` opens the file. After that any thread may read it, as a `SQLiteReader`, and write to it, with
/// `reserveKeys(_:in:)`, `proposeKeys(_:in:)`, `commit(_:)` and batch requests.
final class SQLiteStore: NSPersistentStore, BatchStore, WatchableStore {
  let layouts: ModelLayouts
  /// The model, kept here because the layouts don't keep it.
  private let model: NSManagedObjectModel
  let rowCache: RowCache
  let storeOptions: StoreOptions
  // Unchecked, here and below, as the count of `write1` asks for; see CONTRIBUTING.md.
  /// The log of the SQL that connections run. Only connections that are opened after it is set use it: all of them, if
  /// it is set before `loadMetadata()`.
  @exclusivity(unchecked) var trace: StatementTrace? = .requested

  /// Set once, by `loadMetadata()`.
  @exclusivity(unchecked) private(set) var schema: StoreSchema!
  @exclusivity(unchecked) private(set) var pool: ConnectionPool!
  @exclusivity(unchecked) private(set) var queries: QueryPlans!
  @exclusivity(unchecked) private(set) var savePlanner: SavePlanner!
  /// Records what is written; nil unless the store was opened with the option.
  @exclusivity(unchecked) private(set) var history: SQLiteHistory?
  /// How a read-only store reads its file; nil for a store that writes.
  let quietFile: QuietFile?
  /// The path of the open database.
  var path = ""
  /// Where the files of long values are. Set by `loadMetadata()`, and when the store moves.
  var externalFiles = ExternalFiles(store: .storeInMemory)
  /// Makes and removes those files.
  @exclusivity(unchecked) private(set) var externals: ExternalStorage!
  /// The Z_ENT of root entities whose table is known to have no key above `Z_MAX`. Used only by the thread that writes.
  @exclusivity(unchecked) var soundMaxima: Set<Int64> = []

  let storedMetadata = StoredMetadata()

  /// The keys that saves in progress have named for new rows, and those that are kept for the next saves.
  let keyNumbers = KeyNumbers()

  override var type: String { NSSQLiteStoreType }

  /// The store's metadata. A change is written with the next commit.
  override var metadata: [String: Any]! {
    get { storedMetadata.current.values }
    set { storedMetadata.set(newValue, type: NSSQLiteStoreType, uuid: identity.uuid) }
  }

  var translatesFetches: Bool { true }

  var followsReferences: Bool { true }

  var hasUnsavedMetadata: Bool { !isReadOnly && storedMetadata.unwritten != nil }

  override convenience init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    guard let root else { misuse("A SQLite store is made by the coordinator that it is added to.") }
    self.init(
      layouts: ModelLayouts.of(root.ownModel), configurationName: name, at: url, options: options,
      coordinator: root)
  }

  init(
    layouts: ModelLayouts, configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil,
    coordinator: NSPersistentStoreCoordinator?
  ) {
    self.layouts = layouts
    model = layouts.model
    rowCache = RowCache(layouts)
    storeOptions = StoreOptions(options)
    quietFile = storeOptions.isReadOnly ? QuietFile() : nil
    super.init(persistentStoreCoordinator: coordinator, configurationName: name, at: url, options: options)
    isReadOnly = storeOptions.isReadOnly
  }

  deinit {
    endUse()
    quietFile?.close()
  }

  /// Opens the file, or makes it. Throws a `Failure`.
  override func loadMetadata() throws {
    externalFiles = ExternalFileSource.files(at: url ?? .storeInMemory, of: self)
    do {
      let file = try openFile()
      identity.uuid = file.metadata[NSStoreUUIDKey] as? String ?? identity.uuid
      storedMetadata.read(file.metadata)
      schema = file.schema
      pool = file.pool
      path = file.path
      quietFile?.copy = file.copy
      queries = QueryPlans(file.schema)
      savePlanner = SavePlanner(file.schema)
      history = try openHistory()
      openExternals()
    } catch {
      quietFile?.close()
      throw error
    }
  }

  /// The path, without links, of the file that others may have open too, whether the store reads it or a copy; nil in
  /// memory.
  var nameOfSharedFile: String? {
    guard let url, !url.isStoreInMemory else { return nil }
    let place = DatabasePlace(url)
    return place.exists ? place.path : nil
  }

  /// Closes the file. The connections end when the last fetch in progress does.
  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    endUse()
    pool?.write { externals?.close($0) }
    quietFile?.close()
  }

  private func endUse() {
    endWatching()
    // Or else the timer may hold the connections a little longer, and a program that ends now leaves its log behind.
    pool?.close()
    giveBackStocks()
  }

  /// Sets up the files of long values, and takes over those that an earlier store of this file could not remove; see
  /// ``ExternalStorage``.
  func openExternals() {
    externalFiles = ExternalFileSource.files(at: url ?? .storeInMemory, of: self)
    externals = ExternalStorage(externalFiles, uuid: identity.uuid, of: self)
    if !isReadOnly { pool.write { externals.takeOver($0) } }
  }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try readMetadata(at: url)
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    try writeMetadata(metadata, at: url)
  }

  /// Runs `body`, and turns SQLite's errors into failures that name the file.
  func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
      if error.code == 1, let failure = FunctionFailures.take(error) { throw located(failure) }
      throw error.failure(at: url)
    }
  }

  /// Adds the entity and the property to a failure with a value's file. The function that SQL calls does not know them.
  private func located(_ failure: Failure) -> Failure {
    guard case .externalFile(var problem) = failure else { return failure }
    let name: String
    if case .invalidName(let text) = problem.reason { name = text } else { name = problem.file.lastPathComponent }
    let column = Binding.blob(ExternalFiles.column(ofFile: name)).literal
    for entity in schema.entities.compactMap({ $0 }) {
      for slot in entity.slots.compactMap({ $0 }) where slot.isTagged {
        let sql = "SELECT 1 FROM \(entity.table) WHERE \(slot.name) = \(column) LIMIT 1"
        guard (try? withConnection(isFresh: true) { try !$0.rows(sql).isEmpty }) == true else { continue }
        problem.entity = slot.property.description.entity.name
        problem.property = slot.property.name
        return .externalFile(problem)
      }
    }
    return failure
  }

  /// Throws if the file was removed or replaced, because no one would see what is written to it.
  func checkFile(_ connection: Connection) throws {
    guard connection.hasLostFile, let url else { return }
    throw Failure.storeFileGone(url: url, isReplaced: access(url.path, F_OK) == 0)
  }
}

extension SQLiteError {
  /// The failure to open a store, or to do something with one that is not open.
  func openingFailure(at url: URL) -> Failure {
    if isNotADatabase { return .notADatabase(url: url) }
    if isDamage { return .damagedDatabase(url: url, message: message) }
    if isBusy { return .storeLocked(url: url, message: message) }
    return .storeCannotBeOpened(url: url, sqliteCode: code, message: message)
  }

  /// The failure of an operation on an open store.
  func failure(at url: URL?) -> Failure {
    if isNotADatabase, let url { return .notADatabase(url: url) }
    // Without a log SQLite itself refuses to write a file that was moved.
    if extendedCode == 1032, let url { return .storeFileGone(url: url, isReplaced: access(url.path, F_OK) == 0) }
    if isDamage, let url { return .damagedDatabase(url: url, message: message) }
    return .sqlite(code: code, extendedCode: extendedCode, message: message, sql: sql, url: url)
  }
}
