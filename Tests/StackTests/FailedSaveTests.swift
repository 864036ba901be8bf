import Testing

@testable import CoreData

/// Wherever a save fails, the context is what it was before, and the save after mending succeeds.
@Suite("Failed saves")
struct FailedSaveTests {
  enum FailurePoint: CaseIterable { case validation, conflict, constraint, otherStore, input }

  /// Everything that can be seen of a context and its objects.
  private func look(_ context: NSManagedObjectContext, _ objects: [NSManagedObject]) -> [String] {
    func name(_ value: Any?) -> String {
      switch value {
      case let object as NSManagedObject: "\(objects.firstIndex(of: object) ?? -1)"
      case let set as NSSet: "\(set.allObjects.map(name).sorted())"
      case let list as NSOrderedSet: "\(list.array.map(name))"
      case let values as [String: Any]:
        values.keys.sorted().map { "\($0): \(name(values[$0]))" }.joined(separator: ", ")
      default: value.map { "\($0)" } ?? "nil"
      }
    }
    func names(_ set: Set<NSManagedObject>) -> String { "\(set.map { name($0) }.sorted())" }
    let sets = [
      "\(context.hasChanges)", names(context.insertedObjects), names(context.updatedObjects),
      names(context.deletedObjects), names(context.registeredObjects),
    ]
    return sets
      + objects.map { object in
        let flags = [
          object.isInserted, object.isUpdated, object.isDeleted, object.hasChanges,
          object.hasPersistentChangedValues, object.objectID.isTemporaryID,
        ]
        let keys = object.entity.propertiesByName.keys.sorted()
        return
          "\(object.objectID) \(flags) \(name(object.changedValues())) "
          + "\(name(object.committedValues(forKeys: nil))) "
          + keys.map { "\($0) = \(name(object[$0]))" }.joined(separator: "; ")
      }
  }

  private func shelf() -> NSManagedObjectModel {
    let model = library()
    model.entitiesByName["Tag"]!.uniquenessConstraints = [["name"]]
    let shelf = entity("Shelf", [attribute("name")])
    let box = entity("Box", [attribute("name")])
    relate(shelf, "box", .one, to: box)
    model.entities += [shelf, box]
    return model
  }

  /// Brings a failure about; returns its code, and what mends it.
  private func arrange(
    _ point: FailurePoint, _ stack: Stack, _ book: NSManagedObject, _ made: inout [NSManagedObject]
  ) throws -> (code: Int, mend: () throws -> Void) {
    let context = stack.context
    switch point {
    case .validation:
      book["title"] = nil
      return (NSValidationMissingMandatoryPropertyError, { book["title"] = "mended" })
    case .conflict:
      try stack.elsewhere { other throws in
        other.same(book)["isbn"] = "theirs"
        try other.save()
      }
      return (
        NSManagedObjectMergeError, { context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy }
      )
    case .constraint:
      let tag = context.new("Tag", ["name": "taken"])
      made.append(tag)
      return (NSManagedObjectConstraintMergeError, { tag["name"] = "free" })
    case .otherStore:
      let second = try stack.coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      let (shelf, box) = (context.new("Shelf"), context.new("Box"))
      context.assign(shelf, to: second)
      context.assign(box, to: stack.store)
      shelf["box"] = box
      made += [shelf, box]
      return (NSManagedObjectExternalRelationshipError, { shelf["box"] = nil })
    case .input where stack.store is AtomicFileStore:
      // Somebody takes the file away.
      let away = stack.url.path + "-away"
      rename(stack.url.path, away)
      made.append(context.new("Tag", ["name": "new"]))
      return (NSPersistentStoreSaveError, { rename(away, stack.url.path) })
    case .input:
      // Another connection takes a table away under the store.
      let connection = try Connection(path: stack.url.path, options: Connection.Options())
      try connection.execute("ALTER TABLE ZTAG RENAME TO AWAY")
      made.append(context.new("Tag", ["name": "new"]))
      return (NSSQLiteError, { try connection.execute("ALTER TABLE AWAY RENAME TO ZTAG") })
    }
  }

  @Test(
    "Nothing that can be seen has changed after the failure, and the next save succeeds",
    arguments: StoreKind.allCases, FailurePoint.allCases)
  func everyPoint(_ kind: StoreKind, _ point: FailurePoint) throws {
    if point == .input && (kind == .inMemory || kind.isOnServer) { return }
    try withStack(kind, shelf()) { stack, context in
      let (a, b) = (context.new("Author", ["name": "a"]), context.new("Author", ["name": "b"]))
      let book = context.new("Book", ["title": "t", "author": a])
      let gone = context.new("Passport", ["holder": a])
      let tag = context.new("Tag", ["name": "taken", "books": Set([book])])
      let chapters = (0..<3).map { context.new("Chapter", ["title": "\($0)", "book": book]) }
      try context.save()
      // Every kind of change: values, both kinds of ends, orders, new and deleted objects.
      a["name"] = "changed"
      book["author"] = b
      book["chapters"] = NSOrderedSet(array: [chapters[2], chapters[0]])
      context.delete(gone)
      let new = context.new("Book", ["title": "new", "author": a])
      new.mutableSetValue(forKey: "tags").add(tag)
      let part = context.new("Chapter", ["book": new])
      var made = [a, b, book, gone, tag, new, part] + chapters
      // All is read while it can be.
      _ = look(context, made)
      let (code, mend) = try arrange(point, stack, book, &made)
      context.processPendingChanges()
      let before = look(context, made)
      for _ in 0..<2 {
        let error = try #require(failure { try context.save() })
        #expect(error.code == code)
        #expect(look(context, made) == before)
      }
      try mend()
      try context.save()
      #expect(!context.hasChanges)
      #expect(made.allSatisfy { $0 === gone || !$0.objectID.isTemporaryID })
      try stack.elsewhere { other throws in
        #expect(other.same(a).string("name") == "changed")
        #expect(other.same(a).objects("books") == [other.same(new)])
        #expect(other.same(b).objects("books") == [other.same(book)])
        #expect(other.same(book).list("chapters") == [chapters[2], chapters[0]].map(other.same))
        #expect(other.same(chapters[1]).object("book") == nil)
        #expect(other.same(tag).objects("books") == [other.same(book), other.same(new)])
        #expect(other.same(new).list("chapters") == [other.same(part)])
        #expect(try other.all("Passport").isEmpty)
      }
    }
  }
}
