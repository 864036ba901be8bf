/// One store behind a coordinator: a file, or memory, that holds the objects of one configuration.
///
///     for store in coordinator.persistentStores {
///       print(store.type, store.url?.lastPathComponent ?? "in memory", store.isReadOnly)
///     }
///
/// Clients subclass ``NSAtomicStore`` or ``NSIncrementalStore``, never this class itself.
/// A store's properties belong to its coordinator's queue.
nonisolated open class NSPersistentStore: NSObject {
  /// The coordinator the store was added to; nil once it is removed.
  open private(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?

  /// The name of the configuration whose entities the store holds.
  public let configurationName: String

  /// The options the store was added with.
  public let options: [AnyHashable: Any]?

  /// Where the store lives. Stores in memory may have none.
  @exclusivity(unchecked) open var url: URL?

  /// Whether saves to the store are refused.
  open var isReadOnly: Bool

  /// The store's UUID, upper case.
  open var identifier: String! {
    get { identity.uuid }
    set { identity.uuid = newValue ?? identity.uuid }
  }

  /// The store's type: `NSSQLiteStoreType`, `NSInMemoryStoreType`, or that of a registered class.
  open var type: String {
    preconditionFailure("\(Swift.type(of: self)) must override NSPersistentStore.type.")
  }

  /// What the store says about itself: type, UUID, version hashes, and anything that you add.
  /// A change is written with the next save.
  open var metadata: [String: Any]! = [:]

  /// What ids of this store refer to.
  package final private(set) var identity = StoreIdentity(uuid: UUID().uuidString)

  /// Called by the coordinator that the store is added to. Nothing is read yet: ``loadMetadata()`` comes later.
  public required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    persistentStoreCoordinator = root
    configurationName = name ?? NSPersistentStore.defaultConfigurationName
    self.url = url
    self.options = options
    isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    super.init()
    identity.store = self
  }

  /// The name under which Apple's framework knows "all entities".
  package static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// Reads, or makes, the store's metadata: called once, before the store is used.
  open func loadMetadata() throws {}

  /// All that is to be done before the store can be used. Called once, under the coordinator's lock.
  func open() throws { try loadMetadata() }

  /// Called when the coordinator has taken the store.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the coordinator lets go of the store: the place to close files.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// Whether a key of metadata is the framework's, not the client's.
  static func isOwn(_ key: String) -> Bool { ["NSStore", "NSPersistence", "_NS"].contains { key.hasPrefix($0) } }

  /// What a client sets, with what the framework has said: without version hashes no model would fit the
  /// store.
  package static func metadata(_ new: [String: Any]?, keepingOwnOf old: [String: Any]?) -> [String: Any] {
    (old ?? [:]).filter { isOwn($0.key) }.merging(new ?? [:]) { $1 }
  }

  func detach() {
    persistentStoreCoordinator = nil
    identity.store = nil
  }

  /// Steps into the place of a store whose rows this one has under the same keys: ids that were given out for
  /// the other are this one's from here on. Nobody saves meanwhile.
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
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw Failure.unsupportedFeature("\(self).metadataForPersistentStore(with:)").nsError
  }

  /// Replaces the metadata of a store that is not open.
  open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw Failure.unsupportedFeature("\(self).setMetadata(_:forPersistentStoreAt:)").nsError
  }
}
