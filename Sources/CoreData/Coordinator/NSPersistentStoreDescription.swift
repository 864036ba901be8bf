/// Describes a store for a container to open.
///
///     let description = NSPersistentStoreDescription(url: url)
///     description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
///     container.persistentStoreDescriptions = [description]
///     print(description.type)  // SQLite
nonisolated open class NSPersistentStoreDescription: NSObject, NSCopying {
  /// The store's type; SQLite by default.
  open var type = NSSQLiteStoreType
  /// The configuration with the store's entities; nil for all entities.
  open var configuration: String?
  /// The URL of the store. `file:///dev/null` for a SQLite store in memory.
  open var url: URL?
  /// Whether ``NSPersistentContainer/loadPersistentStores(completionHandler:)`` returns before the store is open.
  open var shouldAddStoreAsynchronously = false
  /// The CloudKit container with which the store should be synchronized. An `NSPersistentCloudKitContainer` refuses to
  /// open a store that has one; other containers ignore it, as Apple's do.
  open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?
  private var given: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
    NSInferMappingModelAutomaticallyOption: true as NSNumber,
  ]
  private var pragmas: [String: NSObject] = [:]

  /// Describes a SQLite store in memory, at `file:///dev/null`.
  public override convenience init() { self.init(url: .storeInMemory) }

  /// Describes a SQLite store at a URL, which is migrated with an inferred mapping if necessary.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// The options with which the store is added.
  open var options: [String: NSObject] {
    var options = given
    if !pragmas.isEmpty { options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas) }
    return options
  }

  /// Sets an option; nil removes it.
  open func setOption(_ option: NSObject?, forKey key: String) { given[key] = option }

  /// Pragmas set on the store's connections.
  open var sqlitePragmas: [String: NSObject] { pragmas }
  /// Sets a pragma, a text or a number, for each of a SQLite store's connections; nil removes it. If SQLite does not
  /// know the name or the value, opening the store fails.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }

  /// Whether the store is only read.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { given[NSReadOnlyPersistentStoreOption] = newValue as NSNumber }
  }

  /// How long, in seconds, to wait for a store that another connection has locked.
  open var timeout: TimeInterval {
    get { (given[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { given[NSPersistentStoreTimeoutOption] = newValue as NSNumber }
  }

  /// Whether a store of another version of the model is migrated when you add it. Default: true.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set { given[NSMigratePersistentStoresAutomaticallyOption] = newValue as NSNumber }
  }

  /// Whether the migration may infer the mapping from the two models if no mapping model is found. Default: true.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { given[NSInferMappingModelAutomaticallyOption] = newValue as NSNumber }
  }

  private func flag(_ key: String) -> Bool { (given[key] as? NSNumber)?.boolValue ?? false }

  /// A copy with the same type, place, configuration, options and pragmas.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription(url: url ?? .storeInMemory)
    copy.type = type
    copy.configuration = configuration
    copy.url = url
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.cloudKitContainerOptions = cloudKitContainerOptions
    copy.given = given
    copy.pragmas = pragmas
    return copy
  }

  /// Whether the other one describes the same store: type, place, configuration, options and pragmas, and when it is
  /// added.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentStoreDescription else { return false }
    return self === other
      || url == other.url && type == other.type && configuration == other.configuration
        && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously && options == other.options
        && cloudKitContainerOptions?.containerIdentifier == other.cloudKitContainerOptions?.containerIdentifier
  }

  /// A hash of the place only, which is quick.
  open override var hash: Int { url.hashValue }

  /// The type and the URL without a password, for logs.
  open override var description: String {
    "<NSPersistentStoreDescription> (type: \(type), url: \(url?.withoutPassword.absoluteString ?? "nil"))"
  }
}
