import CoreData

/// Opens the database and uses it; one of another version is migrated in its place.
private func openDatabase(_ url: URL) throws {
  _ = try? NSManagedObjectModel(storedIn: url)
  let coordinator: NSPersistentStoreCoordinator
  do { coordinator = try Fixture.open(NSSQLiteStoreType, url) } catch {
    guard (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError else { throw error }
    coordinator = try Fixture.open(
      NSSQLiteStoreType, url,
      [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
  }
  try StoreUse(coordinator).all()
}

/// Whole SQLite files. Changes know their form: pages and cells, tables and their values, the property lists and the
/// model inside of them.
struct DatabaseTarget: FuzzTarget {
  static let name = "database"
  static let longest = 131_072

  func seeds() throws -> [[UInt8]] {
    let store = try Fixture.store(NSSQLiteStoreType, "sqlite")
    let small = Database(store).flatMap { database in
      database.execute("PRAGMA page_size = 512; VACUUM")
      return database.bytes(limit: 1 << 20)
    }
    return [small ?? store]
  }

  func run(_ input: [UInt8]) throws { try openDatabase(Scratch.writeDatabase(input)) }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    switch dice.below(8) {
    case 0: return nil
    case 1, 2: return DatabaseMutator.withOtherPage(input, &dice)
    default: return DatabaseMutator.withOtherContent(input, limit, &dice)
    }
  }
}

/// A sound store in which the input changes values: each change takes a table, a column, a row and a value from it. So
/// inputs are short, and libFuzzer can put them together.
struct DatabaseRowTarget: FuzzTarget {
  static let name = "database-rows"
  static let longest = 96

  private let store: [UInt8]
  private let columns: [(table: String, column: String)]

  init() throws {
    store = try Fixture.store(NSSQLiteStoreType, "rows")
    columns = Database(store)?.columns ?? []
  }

  func seeds() -> [[UInt8]] { (0..<40).map { [UInt8($0 * 5 % 200), 1, UInt8($0), 3, 65, 66, 67] } }

  func run(_ input: [UInt8]) throws {
    guard let database = Database(store) else { return }
    var source = ByteSource(input)
    for _ in 0..<8 where !source.isEmpty {
      let (table, column) = columns[source.below(columns.count)]
      let row = source.below(8)
      let value = DatabaseMutator.value(&source)
      database.execute("UPDATE OR IGNORE \(table) SET \(column) = \(value)" + (row == 0 ? "" : " WHERE rowid = \(row)"))
    }
    try openDatabase(Scratch.writeDatabase(database.bytes(limit: 1 << 22) ?? store))
  }
}

/// The column of a long value, and the files beside the store that it may name.
struct ExternalReferenceTarget: FuzzTarget {
  static let name = "external-reference"
  static let longest = 600

  private let store: [UInt8]
  private static let file = "00000000-0000-0000-0000-00000000000A"

  init() throws { store = try Fixture.store(NSSQLiteStoreType, "external") }

  func seeds() -> [[UInt8]] {
    let name = Array(Self.file.utf8)
    return [[2, 39, 2] + name + [0, 1, 2, 3], [2, 4, 1, 7, 8, 9], [3, 39, 2] + name + [0] + name, [0, 0]]
  }

  /// The input: a byte of flags, the column's bytes after their number, and the file's bytes.
  func run(_ input: [UInt8]) throws {
    guard let database = Database(store) else { return }
    var source = ByteSource(input)
    let flags = source.byte()
    let column = source.piece().map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    database.execute("UPDATE ZBOOK SET ZCOVER = x'\(column)'" + (flags & 4 == 0 ? "" : " WHERE rowid = 1"))
    let url = try Scratch.writeDatabase(database.bytes(limit: 1 << 22) ?? store)
    if flags & 2 != 0 {
      let folder = ".S_SUPPORT/_EXTERNAL_DATA"
      try FileManager.default.createDirectory(at: Scratch.url(folder), withIntermediateDirectories: true)
      let file = "\(folder)/\(Self.file)"
      if flags & 1 != 0 {
        // A link, a folder or a pipe in the place of the file.
        switch flags >> 3 & 3 {
        case 0: symlink("/dev/zero", Scratch.url(file).path)
        case 1: mkdir(Scratch.url(file).path, 0o700)
        case 2: mkfifo(Scratch.url(file).path, 0o600)
        default: symlink(Self.file, Scratch.url(file).path)
        }
      } else {
        try Scratch.write(source.rest(), file)
      }
    }
    try openDatabase(url)
  }
}
