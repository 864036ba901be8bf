import CoreData
import DataModelFiles
import Foundation
import StoreFileReader

/// A check of a whole SQLite store. As `PRAGMA integrity_check` checks pages, it checks the rows' references to each
/// other and to files, with SQL alone.
public struct StoreCheck {
  /// What is wrong; empty when nothing is:
  ///
  /// - what SQLite finds;
  /// - a Z_MAX below the largest Z_PK of the table: the next new object would get a key that is taken;
  /// - a version below 1 (null is the version of rows that other programs wrote);
  /// - a Z_ENT of an entity that does not live in the table;
  /// - a pair of a many-to-many relationship whose object has no row;
  /// - a to-one relationship to a row that is not there, or to one of another entity than the column beside it says;
  /// - a file name that no store would write, or the name of a missing file.
  public private(set) var problems: [String] = []
  /// The files of long values that no row refers to. The store removes them when it is next opened for writing.
  public private(set) var unreferencedFiles: [String] = []

  private let reader: StoreFileReader
  private let map: StoreMap
  private var references: Set<String> = []

  /// Checks a store that is open for inspection.
  public init(_ file: StoreFile) throws {
    guard let reader = file.reader else {
      throw InspectionFailure("\(file.url.inWords) is no SQLite store: only those can be checked row by row.")
    }
    guard let map = file.store?.tableMap else {
      throw InspectionFailure("\(file.url.inWords) can't be checked: \(file.obstacle ?? "its model is not known").")
    }
    self = try StoreFile.naming(file.url) { try StoreCheck(reader, map, of: file.url) }
  }

  /// Checks a file with a given model. Nothing may write to the file meanwhile.
  ///
  /// - Parameter configuration: the configuration whose entities the store holds; nil for all.
  public init(_ url: URL, _ model: NSManagedObjectModel, configuration: String? = nil) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: url,
      options: [NSReadOnlyPersistentStoreOption: true])
    defer { try? coordinator.remove(store) }
    guard let map = store.tableMap else { throw InspectionFailure("\(url.path) keeps its objects in no tables.") }
    self = try StoreCheck(StoreFileReader(contentsOf: url), map, of: url)
  }

  private init(_ reader: StoreFileReader, _ map: StoreMap, of url: URL) throws {
    (self.reader, self.map) = (reader, map)
    problems = try reader.rows("PRAGMA integrity_check").compactMap { $0[0].text }.filter { $0 != "ok" }
      .map { "integrity_check: \($0)" }
    try checkTables()
    for entity in map.entities {
      try checkPairs(of: entity)
      for column in entity.columns { try check(column, of: entity) }
    }
    checkFiles(of: url)
  }

  private mutating func checkTables() throws {
    for (table, entities) in Dictionary(grouping: map.entities, by: \.table).sorted(by: { $0.key < $1.key }) {
      let maximum = try reader.integer("SELECT coalesce(max(Z_PK), 0) FROM \(table)")
      let reserved = try reader.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entities[0].root)")
      let last = reserved.first?[0].integer ?? 0
      if last < maximum { problems.append("\(table): Z_MAX \(last) is below Z_PK \(maximum)") }
      let unversioned = try count("\(table) WHERE Z_OPT < 1")
      if unversioned > 0 { problems.append("\(table): \(counted(unversioned, "row")) with a version below 1") }
      let numbers = entities.map { "\($0.number)" }.joined(separator: ", ")
      let strangers = try count("\(table) WHERE Z_ENT NOT IN (\(numbers))")
      if strangers > 0 { problems.append("\(table): \(counted(strangers, "row")) of entities that are not in it") }
    }
  }

  private mutating func checkPairs(of entity: StoreMap.Entity) throws {
    for pairs in entity.pairs {
      let dangling = try count("\(pairs.table) WHERE \(pairs.owner) NOT IN (SELECT Z_PK FROM \(entity.table))")
      let problem =
        "\(pairs.table): \(counted(dangling, "row")) with a \(pairs.owner) that is in no row of \(entity.table)"
      // Entities with one table share the pairs of their relationships.
      if dangling > 0, !problems.contains(problem) { problems.append(problem) }
    }
  }

  private mutating func check(_ column: StoreMap.Column, of entity: StoreMap.Entity) throws {
    if column.isTagged { try noteReferences(column, of: entity) }
    guard let destination = column.destination.flatMap(map.entity(named:)) else { return }
    let (table, name) = (entity.table, column.name)
    problems += try reader.rows(
      "SELECT Z_PK, \(name) FROM \(table) WHERE Z_ENT = \(entity.number) AND \(name) IS NOT NULL "
        + "AND \(name) NOT IN (SELECT Z_PK FROM \(destination.table)) ORDER BY Z_PK"
    ).map { "\(table): \(name) of row \($0[0]) is \($0[1]), which no row of \(destination.table) is" }
    guard let entityColumn = column.entityColumn else { return }
    problems += try reader.rows(
      "SELECT a.Z_PK, a.\(entityColumn), b.Z_ENT FROM \(table) a JOIN \(destination.table) b ON b.Z_PK = a.\(name) "
        + "WHERE a.Z_ENT = \(entity.number) AND a.\(entityColumn) IS NOT b.Z_ENT ORDER BY a.Z_PK"
    ).map { "\(table): \(entityColumn) of row \($0[0]) is \($0[1]), but the row referred to has \($0[2])" }
  }

  /// Files are named by a UUID behind a byte that is 2, with a zero at the end.
  private mutating func noteReferences(_ column: StoreMap.Column, of entity: StoreMap.Entity) throws {
    let rows = try reader.rows(
      "SELECT substr(\(column.name), 2, 36) FROM \(entity.table) WHERE Z_ENT = \(entity.number) "
        + "AND length(\(column.name)) = 38 AND hex(substr(\(column.name), 1, 1)) = '02'")
    for case .blob(let bytes) in rows.map({ $0[0] }) {
      let name = String(decoding: bytes, as: UTF8.self)
      if UUID(uuidString: name) != nil {
        references.insert(name)
      } else {
        problems.append("\(entity.table): \(column.name) has \"\(name.inOneLine)\" for the name of a file")
      }
    }
  }

  private mutating func checkFiles(of url: URL) {
    let folder = JournalReport.externalFolder(of: url)
    let names = Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    problems += references.subtracting(names).sorted().map { "the file \($0) is not in \(folder.path)" }
    unreferencedFiles = names.subtracting(references).sorted()
  }

  private func count(_ rest: String) throws -> Int { Int(try reader.integer("SELECT count(*) FROM \(rest)")) }

  /// The problems found, or a line that says that all is well.
  public var text: String {
    var lines = problems
    if !unreferencedFiles.isEmpty {
      lines.append(
        "\(counted(unreferencedFiles.count, "file")) of long values that no row refers to: "
          + unreferencedFiles.joined(separator: ", "))
    }
    if lines.isEmpty { lines = ["Nothing is wrong: \(counted(map.entities.count, "entity", "entities")) looked over."] }
    return lines.asText
  }

  public var json: JSONValue {
    .record(["problems": .strings(problems), "unreferencedFiles": .strings(unreferencedFiles)])
  }
}
