import Foundation

@testable import CoreData

/// Everything that can be seen of a context, beside what the oracle has.
extension OracleDriver {
  /// Reads nothing.
  func glance(_ index: Int) throws {
    let context = contexts[index]
    let expected = oracle.contexts[index]
    try context.performAndWait {
      // Between its deletion and the end of the event a new object may count as either.
      let dying = expected.inserted.intersection(expected.deleted)
      func numbers(_ objects: Set<NSManagedObject>) throws -> Set<Int> {
        Set(try objects.map(number)).subtracting(dying)
      }
      try same(
        "insertedObjects", try numbers(context.insertedObjects),
        expected.inserted.subtracting(dying))
      try same(
        "deletedObjects", try numbers(context.deletedObjects), expected.deleted.subtracting(dying))
      try compare("updatedObjects", try numbers(context.updatedObjects), expected.updated)
      let broken = context.brokenInvariants()
      if !broken.isEmpty { throw OracleMismatch(broken.joined(separator: "\n")) }
    }
  }

  func compareUndo(_ index: Int, _ expectation: OracleExpectation) throws {
    guard let manager = contexts[index].undoManager, let undo = oracle.undo else { return }
    if expectation.clearsUndo { manager.removeAllActions() }
    try same("canUndo", manager.canUndo, !undo[index].past.isEmpty)
    try same("canRedo", manager.canRedo, !undo[index].future.isEmpty)
  }

  /// Reads all there is.
  func look(_ index: Int) throws {
    try glance(index)
    let expected = oracle.contexts[index]
    try contexts[index].performAndWait {
      for number in expected.living {
        let object = object(number, index)
        try compare(object: object, number, expected, "in context \(index)")
        // The id that a new object had leads to it for the life of the context.
        if let first = firstIDs[index][number], contexts[index].object(with: first) !== object {
          throw OracleMismatch("the first id of #\(number) leads to another object")
        }
        try same("#\(number).isInserted", object.isInserted, expected.inserted.contains(number))
        if object.isDeleted { throw OracleMismatch("#\(number) is deleted") }
        let isUpdated = object.isUpdated ? Set([number]) : []
        let bounds = expected.updated
        let own = OracleBounds(
          must: bounds.must.intersection([number]), may: bounds.may.intersection([number]))
        try compare("#\(number).isUpdated", isUpdated, own)
        let keys = Set(object.changedValues().keys)
        let (must, may) = expected.changedKeys(number)
        if !must.isSubset(of: keys) || !keys.isSubset(of: may) {
          throw OracleMismatch(
            "#\(number).changedValues() has \(keys.sorted()), must have \(must.sorted()), may have \(may.sorted())"
          )
        }
      }
      for number in expected.deleted where !expected.inserted.contains(number) {
        if !object(number, index).isDeleted { throw OracleMismatch("#\(number) is not deleted") }
      }
    }
  }

  func compare(object: NSManagedObject, _ number: Int, _ expected: OracleContext, _ place: String)
    throws
  {
    let record = expected.now[number]!
    try same("#\(number)'s entity", object.entity.name, record.entity)
    for attribute in OracleSchema.house.attributes(of: record.entity) {
      let value = OracleValue(object.value(forKey: attribute.name), attribute.kind)
      try same("#\(number).\(attribute.name) \(place)", value, record.values[attribute.name]!)
    }
    for relationship in OracleSchema.house.relationships(of: record.entity) {
      let members: [Any]
      switch object.value(forKey: relationship.name) {
      case nil: members = []
      case let list as NSOrderedSet: members = list.array
      case let set as NSSet: members = set.allObjects
      case let one as NSManagedObject: members = [one]
      case let other?: throw OracleMismatch("#\(number).\(relationship.name) is \(other)")
      }
      var found = try members.map { try self.number($0 as! NSManagedObject) }
      if !relationship.isOrdered { found.sort() }
      try same("#\(number).\(relationship.name) \(place)", found, record.links[relationship.name]!)
    }
  }

  /// What an event told.
  func compare(_ event: OracleNotice, _ log: NotificationLog, _ index: Int) throws {
    let told = log.all.filter { $0.name == .NSManagedObjectContextObjectsDidChange }
    if told.isEmpty, !event.isCertain { return }
    guard told.count == 1 else {
      throw OracleMismatch("objectsDidChange was posted \(told.count) times")
    }
    if event.isPossible || !told[0].objects(NSRefreshedObjectsKey).isEmpty {
      try compare(event, told[0], index, "objectsDidChange")
    } else {
      throw OracleMismatch("objectsDidChange was posted without a change")
    }
  }

  func compare(_ notice: OracleNotice, _ notification: Notification, _ index: Int, _ name: String)
    throws
  {
    func numbers(_ key: String) throws -> Set<Int> {
      Set(try notification.objects(key).map(number))
    }
    try compare("\(name)'s inserted", try numbers(NSInsertedObjectsKey), notice.inserted)
    try compare("\(name)'s updated", try numbers(NSUpdatedObjectsKey), notice.updated)
    try compare("\(name)'s deleted", try numbers(NSDeletedObjectsKey), notice.deleted)
  }

  private func compare(_ what: String, _ found: Set<Int>, _ bounds: OracleBounds) throws {
    if bounds.allow(found) { return }
    throw OracleMismatch(
      "\(what) is \(found.sorted()), must have \(bounds.must.sorted()), may have \(bounds.may.sorted())"
    )
  }

  func same<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) throws {
    if found == wanted { return }
    func text(_ value: Value) -> String {
      if let set = value as? Set<Int> { return "\(set.sorted())" }
      return "\(value)"
    }
    throw OracleMismatch("\(what) is \(text(found)), not \(text(wanted))")
  }
}
