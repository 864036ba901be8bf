import CoreData
import Foundation
import StoreFileReader

/// Reads the objects of a query, some hundreds at a time.
///
/// | the query has      | objects are found                                                                   |
/// |--------------------|-------------------------------------------------------------------------------------|
/// | a limit            | by one fetch, in the order of its keys, else of the primary key                     |
/// | an order, no limit | by a fetch of all ids                                                               |
/// | neither            | along the table, from primary key to primary key; in stores without tables, by ids  |
///
/// Use it on the queue of its context; `naming` runs its block there.
struct ObjectReader {
  private static let windowSize = 500

  private let file: StoreFile
  private let context: NSManagedObjectContext
  private let query: ObjectQuery
  private let entity: NSEntityDescription

  init(_ file: StoreFile, _ context: NSManagedObjectContext, _ query: ObjectQuery, _ entity: NSEntityDescription) {
    self.file = file
    self.context = context
    self.query = query
    self.entity = entity
  }

  /// Runs `body` on the context's queue, and turns errors of the stack into the words of the command line.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    try context.performAndWait {
      do { return try body() } catch let error as InspectionFailure { throw error } catch {
        // A file that can't be read has a code of its own, and is not the condition's fault.
        guard let condition = query.condition, (error as NSError).code == NSCoreDataError else {
          throw InspectionFailure("The objects of \(file.url.inWords) cannot be read", because: error)
        }
        throw query.failure(error, in: condition, entity)
      }
    }
  }

  func count() throws -> Int { try context.count(for: query.request(entity)) }

  /// Calls `body` with the objects in order. Each object is valid only during the call.
  func forEach(_ body: (NSManagedObject) throws -> Void) throws {
    let request = try query.request(entity)
    // A fetch request takes a limit of zero for no limit.
    if query.limit == 0 { return }
    if query.limit == nil, request.sortDescriptors?.isEmpty != false, let walk = TableWalk(file, entity) {
      try walk.forEachWindow(of: Self.windowSize) { ids in
        try objects(among: ids, meeting: request.predicate).forEach(body)
      }
      return
    }
    let ids = try ids(request)
    for start in stride(from: 0, to: ids.count, by: Self.windowSize) {
      try objects(among: Array(ids[start..<min(start + Self.windowSize, ids.count)]), meeting: nil).forEach(body)
    }
  }

  private func ids(_ request: NSFetchRequest<NSManagedObject>) throws -> [NSManagedObjectID] {
    let ids = NSFetchRequest<NSManagedObjectID>()
    ids.entity = request.entity
    ids.predicate = request.predicate
    ids.resultType = .managedObjectIDResultType
    ids.sortDescriptors = request.sortDescriptors
    if let limit = query.limit { ids.fetchLimit = limit }
    guard ids.sortDescriptors?.isEmpty != false else { return try context.fetch(ids) }
    // Without a sort order, objects are ordered by key. Only stores with tables can do that themselves.
    if file.kind.hasTables {
      ids.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: true)]
      return try context.fetch(ids)
    }
    ids.fetchLimit = 0
    let found = try context.fetch(ids).sorted {
      ($0.number, $0.entity.name ?? "") < ($1.number, $1.entity.name ?? "")
    }
    return query.limit.map { Array(found.prefix($0)) } ?? found
  }

  /// Those of the objects that meet the condition, in the order of the ids.
  private func objects(among ids: [NSManagedObjectID], meeting condition: NSPredicate?) throws -> [NSManagedObject] {
    // Releases the objects of the previous window now, so that those of the last window stay valid.
    context.reset()
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = entity
    let isOneOf = NSPredicate(format: "SELF IN %@", ids)
    request.predicate =
      condition.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, isOneOf]) } ?? isOneOf
    let found = Dictionary(
      try context.fetch(request).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    return ids.compactMap { found[$0] }
  }
}

/// The ids of an entity's objects, read from its table in the order of the primary keys.
private struct TableWalk {
  private let reader: StoreFileReader
  private let table: String
  /// The names of the entity and of its subentities, by Z_ENT.
  private let names: [Int64: String]
  /// The entity, if it alone uses the table. The stack then takes every row for its object, whatever its Z_ENT.
  private let onlyName: String?
  private let coordinator: NSPersistentStoreCoordinator
  private let storeID: String

  /// Nil if the store has no tables.
  init?(_ file: StoreFile, _ entity: NSEntityDescription) {
    guard let reader = file.reader, let store = file.store, let map = store.tableMap, let name = entity.name,
      let table = map.entity(named: name)?.table, let coordinator = file.context?.persistentStoreCoordinator,
      let identifier = store.identifier
    else { return nil }
    self.reader = reader
    self.table = table
    self.coordinator = coordinator
    storeID = identifier
    var names: [Int64: String] = [:]
    var entities = [entity]
    while let next = entities.popLast() {
      if let name = next.name, let number = map.entity(named: name)?.number { names[Int64(number)] = name }
      entities += next.subentities
    }
    self.names = names
    onlyName = map.entities.count { $0.table == table } == 1 ? name : nil
  }

  func forEachWindow(of size: Int, _ body: ([NSManagedObjectID]) throws -> Void) throws {
    let numbers = names.keys.sorted().map(String.init).joined(separator: ", ")
    let condition = onlyName == nil ? "Z_ENT IN (\(numbers)) AND" : ""
    var last = Int64.min
    while true {
      let rows = try reader.rows(
        "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(condition) Z_PK > \(last) ORDER BY Z_PK LIMIT \(size)")
      let ids = rows.compactMap { row -> NSManagedObjectID? in
        guard let key = row[0].integer, let name = onlyName ?? row[1].integer.flatMap({ names[$0] }) else { return nil }
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
        return URL(string: "x-coredata://\(storeID)/\(escaped)/p\(key)").flatMap(
          coordinator.managedObjectID(forURIRepresentation:))
      }
      try body(ids)
      guard rows.count == size, let key = rows.last?[0].integer else { return }
      last = key
    }
  }
}
