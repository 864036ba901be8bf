package import CoreData
package import Foundation

/// A store in a PostgreSQL database. Many processes on many machines can have it open at the same time.
///
///     container.persistentStoreDescriptions = [NSPersistentStoreDescription(postgreSQL: url)]
///
/// Tables and columns have the same names as in a SQLite file. After `loadMetadata()` any thread may read, and write
/// with `reserveKeys(_:in:)` and `commit(_:)`. Each call takes a connection from the pool.
package final class PostgreSQLStore: NSPersistentStore, ServerStore, TableKeeping, @unchecked Sendable {
  // `@unchecked Sendable`: `loadMetadata()` writes some properties once; the others only change under a lock.

  let layouts: ModelLayouts
  /// The model, kept here because `layouts` does not keep it alive.
  private let model: NSManagedObjectModel
  package let rowCache: RowCache
  let pool: ConnectionPool
  /// Opens a connection outside the pool.
  let openConnection: () throws -> Connection
  let trace: StatementTrace?
  let settings: StoreSettings
  let version: VersionGuard
  /// The database schema named in the URL; nil if the URL names none.
  let schemaName: String?

  /// Set once, by `loadMetadata()`.
  private(set) var schema: StoreSchema!
  private(set) var plans: StatementPlans!
  /// Whether triggers derive values of rows.
  private(set) var derivesValues = false
  /// The store's history; nil if it keeps none.
  private(set) var history: PostgreSQLHistory?
  /// Notifies other processes of a commit; nil if notifications are off.
  private(set) var notice: CommitNotice?
  /// The replica that answers reads; nil if the options name none.
  private(set) var replica: ReadReplica?
  let keys = KeyBlocks()
  let pins = PinnedConnections()
  let watching = Watching()

  let storedMetadata = StoredMetadata()

  package override var type: String { PostgreSQLStore.storeType }

  /// The store's metadata. A change is written with the next commit; keys that did not change stay as others have them.
  package override var metadata: [String: Any]! {
    get { storedMetadata.current.values }
    set { storedMetadata.set(newValue, type: PostgreSQLStore.storeType, uuid: identity.uuid) }
  }

  package var hasUnsavedMetadata: Bool { !isReadOnly && storedMetadata.unwritten != nil }

  package var storeSchema: StoreSchema? { schema }

  package var translatesFetches: Bool { true }

  /// How often the store's connections have sent something and waited for an answer: for measurements.
  package var trips: Int { pool.trips + (replica?.trips ?? 0) }

  package override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    guard let root else {
      misuse(MisuseReport("A PostgreSQL store is made by the coordinator that it is added to.", how: "", remedy: ""))
    }
    model = root.ownModel
    layouts = ModelLayouts.of(model)
    rowCache = RowCache(layouts)
    let settings = StoreSettings(options)
    self.settings = settings
    let address = StoreAddress(url, patience: settings.patience)
    schemaName = address.schema
    let trace = StatementTrace.requested
    self.trace = trace
    let version = VersionGuard(
      model: model, configuration: name, options: options, url: address.shown)
    self.version = version
    openConnection = {
      try Connection(address, preparesStatements: settings.preparesStatements, trace: trace, version: nil)
    }
    pool = ConnectionPool(limit: settings.connections, patience: settings.patience) {
      try Connection(address, preparesStatements: settings.preparesStatements, trace: trace, version: version)
    }
    // Anyone can read the store's URL and options, so they have no password.
    super.init(
      persistentStoreCoordinator: root, configurationName: name, at: address.shown,
      options: StoreSettings.shown(options))
  }

  /// Connects to the database and creates missing tables. Throws a failure.
  package override func loadMetadata() throws {
    guard let url, StoreAddress.isAddress(url) else {
      throw StoreFailure.unsupported("A PostgreSQL store at a URL that is not postgresql://…")
    }
    do {
      let opened = try StoreOpening(self, url).run()
      identity.uuid = opened.metadata[NSStoreUUIDKey] as? String ?? identity.uuid
      version.opened.uuid = opened.metadata[NSStoreUUIDKey] as? String
      storedMetadata.read(opened.metadata)
      schema = opened.schema
      plans = StatementPlans(opened.schema, url: url)
      derivesValues = layouts.layouts.contains { layout in
        layout.slots.contains { $0.description is NSDerivedAttributeDescription && !$0.isTransient }
      }
      history = try openHistory(opened.schema)
      // A new version that is being made has the store's identity. It is no news, and no replica has it.
      let isInPlace = schemaName?.hasPrefix(NewServerVersion.prefix) != true
      notice = settings.notifies && isInPlace ? CommitNotice(store: identity.uuid) : nil
      replica = isInPlace ? try openReplica() : nil
    } catch let error as ServerError {
      throw error.openingFailure
    }
  }

  /// Connects to the read replica that the options name, if they name one.
  private func openReplica() throws -> ReadReplica? {
    guard let value = settings.replica else { return nil }
    guard let url = StoreSettings.url(value), StoreAddress.isAddress(url) else {
      throw StoreFailure.unsupported("PostgreSQLReadReplicaOption with anything but a URL postgresql://…")
    }
    let address = StoreAddress(url, givenSchema: schemaName, connectTimeout: 2, patience: settings.patience)
    guard address.schema == schemaName else {
      throw StoreFailure.unsupported(
        "The read replica \(address.shown.absoluteString), whose schema is not the store's, \(schemaName ?? "none"),")
    }
    let origin = try pool.read { try ReplicaOrigin($0, uuid: identity.uuid) }
    let replica = ReadReplica(at: address, of: pool, origin, settings, trace: trace)
    try replica.open()
    return replica
  }

  /// Whether an entity has uniqueness constraints.
  var hasConstraints: Bool { layouts.layouts.contains { !$0.entity.constraintNames.isEmpty } }

  package override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    watching.end()
    pins.close()
    pool.close()
    replica?.close()
  }

  /// Runs `body` and turns a server error into a failure.
  func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as ServerError {
      guard error.isOfStalePlan, let url else { throw error.failure }
      throw StoreFailure.incompatibleSchema(url, table: error.table, "the server says: \(error.message)")
    }
  }

  package static func isOccupied(_ url: URL) throws -> Bool {
    try MetadataTable.withConnection(to: url) { try MetadataTable.read($0) != nil }
  }

  package override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try MetadataTable.withConnection(to: url) { connection in
      guard let metadata = try MetadataTable.read(connection) else {
        throw StoreFailure.incompatibleSchema(StoreAddress(url).shown, table: "Z_METADATA", "there is no such table")
      }
      return metadata
    }
  }

  package override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    try MetadataTable.withConnection(to: url) { connection in
      try connection.transaction {
        guard let old = try MetadataTable.readLocked(connection) else {
          throw StoreFailure.incompatibleSchema(StoreAddress(url).shown, table: "Z_METADATA", "there is no such table")
        }
        // Another process may have migrated the store since its metadata were read: its version hashes stay.
        let new = NSPersistentStore.metadata(
          metadata?.filter { !NSPersistentStore.isOwn($0.key) }, keepingOwnOf: old, type: storeType,
          uuid: old[NSStoreUUIDKey] as? String)
        try MetadataTable.write(new, connection)
      }
    }
  }
}

/// The options that a PostgreSQL store knows.
struct StoreSettings {
  let connections: Int
  let patience: TimeInterval
  let preparesStatements: Bool
  let notifies: Bool
  let tracksHistory: Bool
  /// The value of the option that names a read replica, whatever it is.
  let replica: Any?

  init(_ options: [AnyHashable: Any]?) {
    connections = (options?[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber)?.intValue ?? 8
    patience = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 30
    preparesStatements =
      options?.flag(PostgreSQLPreparedStatementsOption) ?? true
    notifies = options?.flag(PostgreSQLNotificationsOption) ?? true
    tracksHistory = options?.tracksHistory ?? false
    replica = options?[PostgreSQLReadReplicaOption].flatMap { $0 is NSNull ? nil : $0 }
  }

  /// The options as anyone may read them: the replica's URL has no password.
  static func shown(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
    guard var shown = options, let value = shown[PostgreSQLReadReplicaOption], let replica = url(value) else {
      return options
    }
    let open = replica.withoutPassword
    shown[PostgreSQLReadReplicaOption] = open
    if value is String { shown[PostgreSQLReadReplicaOption] = open.absoluteString }
    return shown
  }

  /// Returns the URL that the value of an option is; nil if it is none.
  static func url(_ value: Any) -> URL? { value as? URL ?? (value as? String).flatMap(URL.init(string:)) }

  /// A time in seconds as the milliseconds of a setting, in which 0 would mean no limit.
  static func milliseconds(_ seconds: TimeInterval) -> Int { Int(min(max(seconds, 0.001), 1_000_000) * 1000) }
}
