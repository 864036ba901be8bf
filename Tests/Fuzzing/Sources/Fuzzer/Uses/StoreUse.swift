import CoreData

/// What a program does with a store, by ways that can throw.
struct StoreUse {
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init(_ coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    context = Fixture.context(coordinator)
  }

  /// Each step whatever came of the one before; then the stores are closed.
  func all() throws {
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    var failure: (any Error)?
    for step in [read, ask, change, relate, batches, delete, read, history] {
      do { try step() } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private var names: [String] { coordinator.managedObjectModel.entities.compactMap(\.name).sorted() }

  private func objects(_ name: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.returnsObjectsAsFaults = false
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    return try context.fetch(request)
  }

  private func perform(_ body: (String) throws -> Void) throws {
    try context.performAndWait {
      var failure: (any Error)?
      for name in names {
        do { try body(name) } catch { failure = error }
      }
      context.rollback()
      if let failure { throw failure }
    }
  }

  func read() throws {
    try perform { name in
      for object in try objects(name) {
        for key in object.entity.attributesByName.keys { _ = object.value(forKey: key).map { "\($0)".utf8.count } }
        for relationship in object.entity.relationshipsByName.values {
          let value = object.value(forKey: relationship.name)
          let members = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? value.map { [$0] } ?? []
          for case let member as NSManagedObject in members {
            _ = try? context.existingObject(with: member.objectID).value(forKey: "name")
          }
        }
      }
    }
  }

  private static let questions = [
    "number > 1", "name CONTAINS[cd] \"a\"", "ANY labels.name == \"Label 1\"", "author.name BEGINSWITH \"A\"",
    "SUBQUERY(chapters, $c, $c.number > 1).@count > 0", "books.@count > 1", "date < CAST(5000, \"NSDate\")",
    "price * 2 > 20 OR isRead == YES", "self.id != nil", "name MATCHES \"B.*\"", "chapters.@max.number == 3",
  ]

  func ask() throws {
    try perform { name in
      for question in Self.questions {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = try NSPredicate.parsing(question)
        guard let found = try? context.fetch(request) else { continue }
        _ = try context.count(for: request)
        _ = found.map { $0.value(forKey: "name").map { "\($0)".utf8.count } }
      }
      let related = NSFetchRequest<NSManagedObject>(entityName: name)
      related.relationshipKeyPathsForPrefetching =
        coordinator.managedObjectModel.entitiesByName[name]?.relationshipsByName.keys.sorted()
      _ = try context.fetch(related).map { $0.objectID.uriRepresentation().absoluteString.utf8.count }
      let values = NSFetchRequest<NSDictionary>(entityName: name)
      values.resultType = .dictionaryResultType
      values.propertiesToFetch = ["number", "name"]
      values.returnsDistinctResults = true
      _ = try context.fetch(values).map { "\($0)".utf8.count }
    }
  }

  func change() throws {
    try perform { name in
      for object in try objects(name) {
        try context.fulfil([object])
        object.setValue(1, forKey: "number")
      }
      let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      object.setValue(2, forKey: "number")
      try context.save()
    }
  }

  /// Members change their order, leave and come.
  func relate() throws {
    try perform { name in
      for object in try objects(name) {
        let relationships = object.entity.relationshipsByName.values.sorted { $0.name < $1.name }
        try context.fulfil([object], relationshipKeyPaths: relationships.map(\.name))
        for relationship in relationships {
          guard let destination = relationship.destinationEntity else { continue }
          let other = NSManagedObject(entity: destination, insertInto: context)
          if !relationship.isToMany {
            object.setValue(other, forKey: relationship.name)
          } else if relationship.isOrdered {
            let members = (object.value(forKey: relationship.name) as? NSOrderedSet)?.array ?? []
            object.setValue(NSOrderedSet(array: members.reversed() + [other]), forKey: relationship.name)
          } else {
            let members = (object.value(forKey: relationship.name) as? NSSet)?.allObjects ?? []
            object.setValue(NSSet(array: Array(members.dropFirst()) + [other]), forKey: relationship.name)
          }
        }
      }
      try context.save()
    }
  }

  func batches() throws {
    try perform { name in
      let update = NSBatchUpdateRequest(entityName: name)
      update.predicate = try NSPredicate.parsing("number >= 1")
      update.propertiesToUpdate = ["number": 3]
      update.resultType = .updatedObjectIDsResultType
      _ = (try context.execute(update) as? NSBatchUpdateResult).map { "\($0.result ?? 0)".utf8.count }
      let insert = NSBatchInsertRequest(entityName: name, objects: [["number": 7], ["name": "Author 1"]])
      insert.resultType = .objectIDs
      _ = (try context.execute(insert) as? NSBatchInsertResult).map { "\($0.result ?? 0)".utf8.count }
      let gone = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
      gone.predicate = try NSPredicate.parsing("number == 7")
      let delete = NSBatchDeleteRequest(fetchRequest: gone)
      delete.resultType = .resultTypeObjectIDs
      _ = (try context.execute(delete) as? NSBatchDeleteResult).map { "\($0.result ?? 0)".utf8.count }
    }
  }

  func delete() throws {
    try perform { name in
      guard let object = try objects(name).first else { return }
      try context.fulfil([object], relationshipKeyPaths: object.entity.relationshipsByName.keys.sorted())
      context.delete(object)
      try context.save()
    }
  }

  func history() throws {
    guard coordinator.persistentStores.contains(where: { $0.type == NSSQLiteStoreType }) else { return }
    try context.performAndWait {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
      let answer = try context.execute(request) as? NSPersistentHistoryResult
      for case let transaction as NSPersistentHistoryTransaction in answer?.result as? [Any] ?? [] {
        _ = "\(transaction) \(transaction.timestamp) \(transaction.token)".utf8.count
        for change in transaction.changes ?? [] {
          _ = "\(change) \(change.changeType) \(change.tombstone ?? [:]) \(change.updatedProperties ?? [])".utf8.count
        }
      }
    }
  }
}
