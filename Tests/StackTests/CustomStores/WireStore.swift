import CoreData
import Foundation

/// A store of records that a `WireServer` keeps, for any number of processes: the model of an incremental store.
///
///     NSPersistentStoreCoordinator.registerStoreClass(WireStore.self, forStoreType: WireStore.storeType)
///     try coordinator.addPersistentStore(ofType: WireStore.storeType, configurationName: nil, at: url, options: nil)
///
/// It takes attributes that JSON can hold, to-one relationships, and to-many relationships whose inverse is to-one.
/// What it can't do it refuses by name.
class WireStore: NSIncrementalStore {
  class var storeType: String { "Wire" }

  override var type: String { Self.storeType }

  /// The server's part is to compare: it alone can compare and write at once.
  override var comparesBaseVersions: Bool { true }

  // The server.

  private let lock = NSRecursiveLock()
  private var connection: WireConnection?
  /// Keys that were reserved and not used yet.
  private var keys: Range<Int64> = 0..<0

  /// Sends one request. If the open connection fails, the request is sent once more on a new connection; except for a
  /// write, which the server may have carried out already.
  private func ask(_ message: [String: Any]) throws -> [String: Any] {
    let answer = try lock.withLock {
      if connection != nil, message["do"] as? String != "write", let answer = try? once(message) { return answer }
      return try once(message)
    }
    if let error = answer["error"] { throw WireStore.refusal("The server says: \(error).") }
    return answer
  }

  private func once(_ message: [String: Any]) throws -> [String: Any] {
    do { return try connected().ask(message) } catch {
      connection = nil
      throw error
    }
  }

  private func connected() throws -> WireConnection {
    if let connection { return connection }
    guard let port = url?.port else { throw WireStore.refusal("A wire store's URL has a port.") }
    let new = try WireConnection(port: UInt16(port))
    connection = new
    return new
  }

  static func refusal(_ words: String) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError,
      userInfo: [NSLocalizedDescriptionKey: words])
  }

  override func loadMetadata() throws {
    for entity in persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
      for (name, relationship) in entity.relationshipsByName where relationship.isToMany {
        guard let inverse = relationship.inverseRelationship, !inverse.isToMany, !relationship.isOrdered else {
          throw WireStore.refusal("\(entity.name!).\(name) needs an inverse that is to-one, and no order.")
        }
      }
    }
    metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: try ask(["do": "hello"])["uuid"] as? String ?? ""]
  }

  // Requests.

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    switch request {
    case let request as NSSaveChangesRequest: return try save(request, context!)
    case let request as NSFetchRequest<NSFetchRequestResult>: return try found(by: request)
    default: throw WireStore.refusal("A wire store can't execute a request of the class \(Swift.type(of: request)).")
    }
  }

  /// Nodes: what a fetch has found need not be asked for again.
  func found(by request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
    let entity = request.entity!
    var message: [String: Any] = ["do": "find", "limit": request.fetchLimit, "offset": request.fetchOffset]
    message["entities"] = request.includesSubentities ? names(entity) : [entity.name!]
    message["where"] = try request.predicate.map { try condition($0) }
    message["order"] = try (request.sortDescriptors ?? []).map { order -> [Any] in
      guard let key = order.key, order.selector == Selector("compare:"), entity.attributesByName[key] != nil else {
        throw WireStore.refusal("A wire store can't sort by \(order).")
      }
      return [key, order.ascending]
    }
    switch request.resultType {
    case .countResultType:
      message["count"] = true
      return [try ask(message)["count"] as? NSNumber ?? 0]
    case .managedObjectResultType: return try records(ask(message)).map(node)
    case .managedObjectIDResultType: return try records(ask(message)).map(id)
    default: throw WireStore.refusal("A wire store finds objects, their ids, and how many they are.")
    }
  }

  private func names(_ entity: NSEntityDescription) -> [String] {
    [entity.name!] + entity.subentities.flatMap(names)
  }

  // Predicates.

  private func condition(_ predicate: NSPredicate) throws -> [Any] {
    if let compound = predicate as? NSCompoundPredicate {
      let parts = try compound.subpredicates.map { try condition($0 as! NSPredicate) }
      switch compound.compoundPredicateType {
      case .and: return ["and"] + parts
      case .or: return ["or"] + parts
      case .not: return ["not"] + parts
      @unknown default: throw WireStore.refusal("A wire store can't translate \(predicate).")
      }
    }
    let operators: [NSComparisonPredicate.Operator: String] = [
      .equalTo: "=", .notEqualTo: "!=", .lessThan: "<", .lessThanOrEqualTo: "<=", .greaterThan: ">",
      .greaterThanOrEqualTo: ">=", .in: "in",
    ]
    guard let comparison = predicate as? NSComparisonPredicate, comparison.options.isEmpty,
      comparison.comparisonPredicateModifier == .direct, let sign = operators[comparison.predicateOperatorType],
      comparison.leftExpression.expressionType == .keyPath, !comparison.leftExpression.keyPath.contains("."),
      comparison.rightExpression.expressionType == .constantValue
    else { throw WireStore.refusal("A wire store can't translate the predicate \(predicate.predicateFormat).") }
    let value = comparison.rightExpression.constantValue
    if sign == "in" {
      let members = (value as? [Any]) ?? (value as? NSSet)?.allObjects ?? []
      return [sign, comparison.leftExpression.keyPath, try members.map(sent)]
    }
    return [sign, comparison.leftExpression.keyPath, try sent(value)]
  }

  // Records and values.

  private func reference(_ id: NSManagedObjectID) -> Int64 { (referenceObject(for: id) as! NSNumber).int64Value }

  private func id(_ entity: String, _ reference: Any) throws -> NSManagedObjectID {
    guard let number = reference as? NSNumber,
      let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity]
    else { throw WireStore.refusal("The server has \(entity) \(reference), which the model does not.") }
    return newObjectID(for: entity, referenceObject: number.int64Value)
  }

  func id(_ record: [String: Any]) throws -> NSManagedObjectID {
    try id(record["entity"] as? String ?? "", record["id"] ?? "")
  }

  private func records(_ answer: [String: Any]) -> [[String: Any]] { answer["records"] as? [[String: Any]] ?? [] }

  private func version(_ record: [String: Any]) -> UInt64 { (record["version"] as? NSNumber)?.uint64Value ?? 0 }

  private func node(_ record: [String: Any]) throws -> NSIncrementalStoreNode {
    let id = try id(record)
    var values = record["values"] as? [String: Any] ?? [:]
    for (name, attribute) in id.entity.attributesByName where attribute.attributeType == .dateAttributeType {
      values[name] = (values[name] as? NSNumber).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
    }
    for (name, relationship) in id.entity.relationshipsByName where !relationship.isToMany {
      guard let place = values[name] as? [Any], place.count == 2 else {
        values[name] = NSNull()
        continue
      }
      values[name] = try self.id(place[0] as? String ?? "", place[1])
    }
    return NSIncrementalStoreNode(objectID: id, withValues: values, version: version(record))
  }

  /// A value as JSON has it.
  private func sent(_ value: Any?) throws -> Any {
    switch value {
    case nil, is NSNull: return NSNull()
    case let date as Date: return date.timeIntervalSinceReferenceDate
    case let object as NSManagedObject: return [object.objectID.entity.name!, reference(object.objectID)]
    case let id as NSManagedObjectID: return [id.entity.name!, reference(id)]
    case let text as String: return text
    case let number as NSNumber: return number
    case let other?: throw WireStore.refusal("A wire store can't hold \(other), of the type \(Swift.type(of: other)).")
    }
  }

  // Many objects, one request.

  override func newValuesForObjects(
    with objectIDs: [NSManagedObjectID], with context: NSManagedObjectContext
  ) throws -> [NSIncrementalStoreNode]? {
    try records(ask(["do": "read", "ids": objectIDs.map(reference)])).map(node)
  }

  /// Of to-many relationships: nodes name every other.
  override func newValues(
    forRelationship relationship: NSRelationshipDescription, forObjectsWith objectIDs: [NSManagedObjectID],
    with context: NSManagedObjectContext?
  ) throws -> [NSManagedObjectID: Any]? {
    let answer = try ask([
      "do": "members", "entities": names(relationship.destinationEntity!),
      "key": relationship.inverseRelationship!.name, "ids": objectIDs.map(reference),
    ])
    let members = answer["members"] as? [String: [[Any]]] ?? [:]
    var found: [NSManagedObjectID: Any] = [:]
    for id in objectIDs {
      found[id] = try (members["\(reference(id))"] ?? []).map { try self.id($0[0] as? String ?? "", $0[1]) }
    }
    return found
  }

  // Saving.

  /// A block of keys at a time: a program that inserts many objects asks for few of them.
  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    try lock.withLock {
      if keys.count < array.count {
        let count = max(array.count, 100)
        let first = (try ask(["do": "keys", "count": count])["first"] as? NSNumber)?.int64Value ?? 0
        keys = first..<first + Int64(count)
      }
      return array.map { newObjectID(for: $0.entity, referenceObject: keys.removeFirst()) }
    }
  }

  /// What a save is based on, for each object; the server writes over nothing else.
  func base(of object: NSManagedObject, in request: NSSaveChangesRequest) -> Any {
    request.baseVersion(of: object).map { NSNumber(value: $0) } ?? NSNull()
  }

  /// Called before the server is asked to write: tests let others write then.
  nonisolated(unsafe) var willWrite: () throws -> Void = {}

  func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext) throws -> [Any] {
    try willWrite()
    let changed = (request.insertedObjects ?? []).union(request.updatedObjects ?? [])
    func named(_ object: NSManagedObject) -> [String: Any] {
      ["entity": object.entity.name!, "id": reference(object.objectID), "base": base(of: object, in: request)]
    }
    let answer = try ask([
      "do": "write",
      "records": try changed.map { object in
        try named(object).merging(["values": values(of: object)]) { $1 }
      },
      "deleted": (request.deletedObjects ?? []).map(named), "locked": (request.lockedObjects ?? []).map(named),
      "unique": unique(changed),
    ])
    let objects = changed.union(request.deletedObjects ?? []).union(request.lockedObjects ?? [])
    let byKey = Dictionary(objects.map { (reference($0.objectID), $0) }, uniquingKeysWith: { first, _ in first })
    if let conflicts = answer["conflicts"] as? [[String: Any]] {
      throw WireStore.error(
        NSManagedObjectMergeError,
        conflicts.compactMap { record in
          byKey[(record["id"] as? NSNumber)?.int64Value ?? 0].map { object in
            NSMergeConflict(
              source: object, newVersion: Int(version(record)),
              oldVersion: Int(request.baseVersion(of: object) ?? 0), cachedSnapshot: nil,
              persistedSnapshot: record["values"] as? [String: Any])
          }
        })
    }
    if let taken = answer["taken"] as? [String: Any] {
      throw try constraintError(taken, byKey, context)
    }
    // The server's versions are none that anybody could count.
    return (answer["versions"] as? [[NSNumber]] ?? []).compactMap { pair in
      byKey[pair[0].int64Value].map {
        NSIncrementalStoreNode(objectID: $0.objectID, withValues: [:], version: pair[1].uint64Value)
      }
    }
  }

  private func values(of object: NSManagedObject) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for (name, property) in object.entity.propertiesByName where !property.isTransient {
      if (property as? NSRelationshipDescription)?.isToMany == true { continue }
      values[name] = try sent(object.value(forKey: name))
    }
    return values
  }

  /// The attributes that the model wants to be unique by themselves.
  private func unique(_ changed: Set<NSManagedObject>) -> [String: [String]] {
    let entities = Set(changed.map(\.entity))
    return Dictionary(
      entities.map { entity in
        (entity.name!, entity.uniquenessConstraints.compactMap { $0.count == 1 ? $0[0] as? String : nil })
      }, uniquingKeysWith: { first, _ in first })
  }

  private func constraintError(
    _ taken: [String: Any], _ objects: [Int64: NSManagedObject], _ context: NSManagedObjectContext
  ) throws -> NSError {
    let holder = try node(taken["holder"] as? [String: Any] ?? [:])
    let key = taken["key"] as? String ?? ""
    let newer = objects[(taken["id"] as? NSNumber)?.int64Value ?? 0]
    let older = objects[reference(holder.objectID)]
    // Of two objects of one save neither is in the store.
    let colliding = [older, newer].compactMap { $0 }
    return WireStore.error(
      NSManagedObjectConstraintMergeError,
      [
        NSConstraintConflict(
          constraint: [key], database: older == nil ? context.object(with: holder.objectID) : nil,
          databaseSnapshot: nil, conflicting: colliding,
          conflictingSnapshots: colliding.map { $0.committedValues(forKeys: nil) })
      ])
  }

  private static func error(_ code: Int, _ conflicts: [Any]) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code, userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts])
  }
}
