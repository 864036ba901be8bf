import CoreData

/// A kind of store and its options, with a name for a command line: `sqlite,delete,files,checkpoint,full`.
public struct StoreSetup: Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, CaseIterable, Sendable {
    case sqlite, xml, binary

    /// The kinds whose store classes are registered.
    public static var thatExist: [Kind] {
      allCases.filter { NSPersistentStoreCoordinator.registeredStoreTypes[$0.type] != nil }
    }

    public var type: String {
      switch self {
      case .sqlite: NSSQLiteStoreType
      case .xml: NSXMLStoreType
      case .binary: NSBinaryStoreType
      }
    }
  }

  public var kind = Kind.sqlite
  /// SQLite's journal mode.
  public var journal = "wal"
  /// Whether long values lie in files of their own.
  public var hasFiles = false
  /// Whether SQLite copies the log into the database after every four pages.
  public var checkpointsOften = false
  /// Whether each commit waits for the disk.
  public var isFull = false
  /// Whether each commit also syncs the folder from which it has removed the journal.
  public var isExtra = false
  /// How long to wait for another process' lock, in seconds.
  public var timeout = 2

  public init() {}

  public init?(_ name: String) {
    let words = name.split(separator: ",").map(String.init)
    guard let first = words.first, let kind = Kind(rawValue: first) else { return nil }
    self.kind = kind
    for word in words.dropFirst() {
      switch word {
      case "wal", "delete", "truncate", "persist": journal = word
      case "files": hasFiles = true
      case "checkpoint": checkpointsOften = true
      case "full": isFull = true
      case "extra": isExtra = true
      default: return nil
      }
    }
  }

  public var description: String {
    guard kind == .sqlite else { return kind.rawValue }
    return "sqlite,\(journal)" + (hasFiles ? ",files" : "") + (checkpointsOften ? ",checkpoint" : "")
      + (isFull ? ",full" : "") + (isExtra ? ",extra" : "")
  }

  public var type: String { kind.type }

  public var options: [AnyHashable: Any] {
    guard kind == .sqlite else { return [:] }
    var pragmas = ["journal_mode": journal]
    if checkpointsOften { pragmas["wal_autocheckpoint"] = "4" }
    if isFull { pragmas["synchronous"] = "FULL" }
    if isExtra { pragmas["synchronous"] = "EXTRA" }
    return [NSSQLitePragmasOption: pragmas, NSPersistentStoreTimeoutOption: timeout]
  }

  public func url(in folder: URL) -> URL { folder.appendingPathComponent("S.\(kind)") }

  /// A coordinator with the store in `folder`. Makes the store if it does not exist.
  public func open(in folder: URL, model: NSManagedObjectModel = ledgerModel) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url(in: folder), options: options)
    return coordinator
  }

  /// All setups of some kinds.
  public static func all(_ kinds: [Kind]) -> [StoreSetup] {
    kinds.flatMap { kind -> [StoreSetup] in
      guard kind == .sqlite else { return [StoreSetup(kind.rawValue)!] }
      return [
        "sqlite,wal", "sqlite,wal,files", "sqlite,wal,checkpoint", "sqlite,wal,files,checkpoint,full", "sqlite,delete",
        "sqlite,delete,files", "sqlite,delete,full", "sqlite,truncate", "sqlite,persist,files",
      ].map { StoreSetup($0)! }
    }
  }
}

extension NSPersistentStoreCoordinator {
  /// Closes all stores.
  public func removeAllStores() throws {
    for store in persistentStores { try remove(store) }
  }
}
