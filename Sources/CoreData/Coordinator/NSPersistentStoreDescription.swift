/// What store a container is to open, and how.
///
///     let description = NSPersistentStoreDescription(url: url)
///     description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
///     container.persistentStoreDescriptions = [description]
nonisolated open class NSPersistentStoreDescription: NSObject, NSCopying {
  /// The store's type; SQLite by default.
  open var type = NSSQLiteStoreType
  /// The configuration whose entities the store holds; nil for all.
  open var configuration: String?
  /// Where the store lives. `file:///dev/null` for a SQLite store in memory.
  open var url: URL?
  /// Whether ``NSPersistentContainer/loadPersistentStores(completionHandler:)`` returns before the store is open.
  open var shouldAddStoreAsynchronously = false
  private var given: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
    NSInferMappingModelAutomaticallyOption: true as NSNumber,
  ]
  private var pragmas: [String: NSObject] = [:]

  /// A SQLite store in memory, at `file:///dev/null`.
  public override convenience init() { self.init(url: URL(fileURLWithPath: "/dev/null")) }

  /// A SQLite store at a place, with migration by an inferred mapping asked for.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// The options the store is added with.
  open var options: [String: NSObject] {
    var options = given
    if !pragmas.isEmpty { options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas) }
    return options
  }

  /// Sets an option; nil takes it out.
  open func setOption(_ option: NSObject?, forKey key: String) { given[key] = option }

  /// Pragmas set on the store's connections.
  open var sqlitePragmas: [String: NSObject] { pragmas }
  /// Sets a pragma, a text or a number, to be run on each of a SQLite store's connections; nil takes it out. A name or
  /// value that SQLite does not know fails the store's opening.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }

  /// Whether the store is opened without ever writing to it.
  open var isReadOnly: Bool {
    get { flag(NSReadOnlyPersistentStoreOption) }
    set { given[NSReadOnlyPersistentStoreOption] = newValue as NSNumber }
  }

  /// How long, in seconds, to wait for a store that another connection has locked.
  open var timeout: TimeInterval {
    get { (given[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { given[NSPersistentStoreTimeoutOption] = newValue as NSNumber }
  }

  /// Whether a store of another version of the model is migrated when it is added. Default: true.
  open var shouldMigrateStoreAutomatically: Bool {
    get { flag(NSMigratePersistentStoresAutomaticallyOption) }
    set { given[NSMigratePersistentStoresAutomaticallyOption] = newValue as NSNumber }
  }

  /// Whether that migration may work out from the two models what becomes of what, where no mapping model is found.
  /// Default: true.
  open var shouldInferMappingModelAutomatically: Bool {
    get { flag(NSInferMappingModelAutomaticallyOption) }
    set { given[NSInferMappingModelAutomaticallyOption] = newValue as NSNumber }
  }

  private func flag(_ key: String) -> Bool { (given[key] as? NSNumber)?.boolValue ?? false }

  /// A copy with the same type, place, configuration, options and pragmas.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
    copy.type = type
    copy.configuration = configuration
    copy.url = url
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.given = given
    copy.pragmas = pragmas
    return copy
  }

  /// The type and the URL, for logs.
  open override var description: String {
    "<NSPersistentStoreDescription> (type: \(type), url: \(url?.absoluteString ?? "nil"))"
  }
}
