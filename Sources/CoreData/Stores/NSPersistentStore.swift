/// One store of a coordinator: a file, or memory, with the objects of one configuration.
///
///     for store in coordinator.persistentStores {
///       print(store.type, store.url?.lastPathComponent ?? "in memory", store.isReadOnly)
///     }
///
/// Subclass ``NSAtomicStore`` or ``NSIncrementalStore``, never this class itself. Any thread may read a store's
/// properties; set them on the queue of its coordinator.
nonisolated open class NSPersistentStore: NSObject {
  /// The coordinator that the store was added to; nil once it is removed.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinatorReference.object }
  private final var coordinatorReference: LivingReference<NSPersistentStoreCoordinator>

  /// The name of the configuration with the store's entities.
  public let configurationName: String

  /// The options with which the store was added.
  public let options: [AnyHashable: Any]?

  /// The URL of the store. Stores in memory may have none.
  open var url: URL?

  // Unchecked, as the count of `write1` asks for; see CONTRIBUTING.md.
  /// Whether the store refuses saves.
  @exclusivity(unchecked) open var isReadOnly: Bool

  /// The store's UUID, upper case: `NSStoreUUIDKey` of the metadata. One that you set is part of the objects' URIs at
  /// once, and is written with the next save.
  open var identifier: String! {
    get { identity.uuid }
    set {
      guard let uuid = newValue, uuid != identity.uuid else { return }
      // A store of the program's own may have any text that can stand there.
      let isOwn = identity.takesObjects && URL(string: "x-coredata://\(uuid)/Entity/p1")?.host != nil
      guard isOwn || StoreIdentity.canBeUUID(uuid) else {
        misuse(
          MisuseReport(
            "A store's identifier was set to \"\(uuid)\".", facts: [("Store", url?.path ?? "without a URL")],
            how: "The identifier is a part of each object's URI, where this text can't stand.",
            remedy: "Set a UUID, such as `UUID().uuidString`."))
      }
      identity.uuid = uuid
      var changed: [String: Any] = metadata ?? [:]
      changed[NSStoreUUIDKey] = uuid
      metadata = changed
      hasNewMetadata = true
    }
  }

  /// The store's type: `NSSQLiteStoreType`, `NSInMemoryStoreType`, or that of a registered class.
  open var type: String {
    misuse("\(Swift.type(of: self)) must override NSPersistentStore.type.")
  }

  /// The store's metadata: its type, UUID, version hashes, and anything that you add. A change is written with the next
  /// save.
  open var metadata: [String: Any]! = [:]

  /// Whether a coordinator was given metadata that no save has written yet. Used for custom stores; the others note
  /// themselves what is new.
  final var hasNewMetadata = false

  /// What ids of this store refer to.
  package final private(set) var identity = StoreIdentity(uuid: UUID().uuidString)

  /// Called by the coordinator when you add the store. It reads nothing yet; ``loadMetadata()`` is called later.
  public init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    coordinatorReference = LivingReference(root)
    configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
    self.url = url
    self.options = options
    isReadOnly = options?.flag(NSReadOnlyPersistentStoreOption) == true
    super.init()
    identity.store = self
  }

  /// `makeDynamically(for:configuration:at:options:)`.
  @_silgen_name("core_data_make_store")
  convenience init(
    dynamically root: NSPersistentStoreCoordinator?, configuration: String?, at url: URL,
    options: [AnyHashable: Any]?
  ) {
    self.init(persistentStoreCoordinator: root, configurationName: configuration, at: url, options: options)
  }

  /// The configuration's name; nil for the default configuration, which has all entities.
  package final var configuration: String? { NSManagedObjectModel.configuration(unlessDefault: configurationName) }

  /// Reads or makes the store's metadata. Called once, before the store is used.
  open func loadMetadata() throws {}

  /// Prepares the store for use. Called once, before the coordinator has the store in its list, and without the
  /// coordinator's lock.
  func open() throws { try loadMetadata() }

  /// Called after the coordinator has added the store.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the coordinator removes the store. Close files here.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// Whether a key of metadata is the framework's, not the client's.
  package static func isOwn(_ key: String) -> Bool {
    ["NSStore", "NSPersistence", "_NS"].contains { key.hasPrefix($0) }
  }

  /// The client's metadata, completed by the framework's: without version hashes no model would be compatible with the
  /// store. Type and UUID are the store's, whatever the client's metadata say.
  package static func metadata(
    _ new: [String: Any]?, keepingOwnOf old: [String: Any]?, type: String, uuid: String?
  ) -> [String: Any] {
    var metadata = (old ?? [:]).filter { isOwn($0.key) }.merging(new ?? [:]) { $1 }
    metadata[NSStoreTypeKey] = type
    metadata[NSStoreUUIDKey] = uuid
    return metadata
  }

  func detach() {
    coordinatorReference.object = nil
    identity.store = nil
  }

  /// Replaces a store whose rows this one has under the same keys. From now on the other store's ids belong to this
  /// one. Called while nobody saves.
  func takePlace(of other: NSPersistentStore) {
    let own = identity
    let former = StoreIdentity(uuid: other.identity.uuid)
    former.takeForm(of: other.identity)
    identity = other.identity
    identity.uuid = own.uuid
    identity.takeForm(of: own)
    identity.store = self
    own.store = nil
    other.identity = former
  }

  /// The class of the managers that migrate stores of this class: a subclass of `NSMigrationManager`.
  open class func migrationManagerClass() -> AnyClass { managerClassForAllStores() }

  /// The metadata of a store that is not open.
  @discardableResult
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw Failure.unsupportedFeature("\(self).metadataForPersistentStore(with:)").nsError
  }

  /// Replaces the metadata of a store that is not open.
  open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw Failure.unsupportedFeature("\(self).setMetadata(_:forPersistentStoreAt:)").nsError
  }
}

extension NSPersistentStore {
  /// A store of this class, by its own initializer; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_store")
  static func makeDynamically(
    for root: __owned NSPersistentStoreCoordinator?, configuration: __owned String?, at url: __owned URL,
    options: __owned [AnyHashable: Any]?
  ) -> NSPersistentStore
}
