/// A SQLite store's options, read from the dictionary it is added with.
struct StoreOptions {
  var isReadOnly = false
  /// See `immutableStoreFileOption`.
  var isImmutable = false
  /// The client's pragmas, set after the store's own.
  var pragmas: [(name: String, value: String)] = []
  var busyTimeout: Int32 = 240_000
  var maximumReaders = 4
  var analyzes = false
  var vacuums = false
  var defersMigration = false
  var tracksHistory = false
  /// See `migrationSourceOption`.
  var isMigrationSource = false

  /// Set where a migration reads the old version of a store. Its file stays as it is: it gets no other journal, and
  /// whether a history is kept is no concern.
  static let migrationSourceOption = "StrataMigrationSourceOption"

  init() {}

  init(_ options: [AnyHashable: Any]?) {
    let options = options ?? [:]
    func flag(_ option: String) -> Bool { options.flag(option) ?? false }
    isReadOnly = flag(NSReadOnlyPersistentStoreOption)
    isImmutable = isReadOnly && flag(immutableStoreFileOption)
    isMigrationSource = flag(StoreOptions.migrationSourceOption)
    analyzes = flag(NSSQLiteAnalyzeOption)
    vacuums = flag(NSSQLiteManualVacuumOption)
    defersMigration = flag(NSPersistentStoreDeferredLightweightMigrationOptionKey)
    tracksHistory = options.tracksHistory
    if let seconds = StoreOptions.number(options[NSPersistentStoreTimeoutOption]) {
      busyTimeout = seconds > 0 ? Int32(min(seconds * 1000, Double(Int32.max))) : 0
    }
    if let count = StoreOptions.number(options[NSPersistentStoreConnectionPoolMaxSizeKey]) {
      // A program that wants no limit may give the largest number.
      maximumReaders = count > 1 ? Int(min(count, 1000)) : 1
    }
    if let pragmas = options[NSSQLitePragmasOption] as? [AnyHashable: Any] {
      self.pragmas = pragmas.map { ("\($0.key.base)", StoreOptions.word($0.value)) }.sorted(on: { $0.0 })
    }
  }

  /// The value that the client asks for.
  func pragma(_ name: String) -> String? { pragmas.last { $0.name.lowercased() == name }?.value }

  /// The pragmas of each connection, the store's own first.
  var connectionPragmas: [(name: String, value: String)] {
    [("synchronous", "NORMAL"), ("recursive_triggers", "1")]
      + pragmas.filter { $0.name.lowercased() != "journal_mode" }
  }

  private static func number(_ value: Any?) -> Double? {
    if let value = value as? Int { return Double(value) }
    if let value = value as? Double { return value }
    return (value as? NSNumber)?.doubleValue
  }

  /// A pragma's value: strings and numbers as they are, an `NSNumber` by its digits.
  private static func word(_ value: Any) -> String {
    (value as? String) ?? (value as? NSNumber)?.stringValue ?? "\(value)"
  }
}
