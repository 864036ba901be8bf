import CoreData

/// A context over a store of the ledger's model. Everything runs on the context's queue.
public final class LedgerContext {
  public let context: NSManagedObjectContext
  private var objects: [Int: NSManagedObject] = [:]
  private var step: NSManagedObject?
  /// What the model calls entities and properties, by the names that they have in the ledger's first model.
  private let names: [String: String]

  /// Reads all that the store has.
  public init(_ coordinator: NSPersistentStoreCoordinator, names: [String: String] = [:]) throws {
    self.names = names
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      step = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Step")).first
      for entity in ["Author", "Book", "Tag", "Chapter"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: names[entity] ?? entity)
        request.returnsObjectsAsFaults = false
        if entity == "Book" { request.relationshipKeyPathsForPrefetching = ["tags", "chapters"] }
        for object in try context.fetch(request) { objects[LedgerContext.number(of: object)] = object }
      }
    }
  }

  private static func number(of object: NSManagedObject) -> Int { object.value(forKey: "number") as? Int ?? 0 }

  /// The number of saves that the store's step has.
  public var saves: Int { context.performAndWait { step.map(LedgerContext.number) ?? 0 } }

  /// Does what the ledger did, without saving.
  public func apply(_ changes: [Ledger.Change], save number: Int) {
    context.performAndWait {
      for change in changes { apply(change, save: number) }
      if step == nil { step = NSEntityDescription.insertNewObject(forEntityName: "Step", into: context) }
      step!.setValue(number, forKey: "number")
    }
  }

  public func save() throws { try context.performAndWait { try context.save() } }

  private func apply(_ change: Ledger.Change, save stamp: Int) {
    func set(_ number: Int, _ value: Any?, _ key: String) {
      objects[number]!.setValue(value, forKey: key)
      objects[number]!.setValue(stamp, forKey: "stamp")
    }
    switch change {
    case .insert(let kind, let number):
      let object = NSEntityDescription.insertNewObject(forEntityName: kind.rawValue, into: context)
      object.setValue(number, forKey: "number")
      object.setValue(stamp, forKey: "stamp")
      objects[number] = object
    case .rename(let number, let name): set(number, name, "name")
    case .cover(let book, let size):
      set(book, size.map { Ledger.coverBytes(number: book, stamp: stamp, size: $0) }, "cover")
    case .author(let book, let author): set(book, author.map { objects[$0]! }, "author")
    case .tag(let book, let tag, let isOn):
      let tags = objects[book]!.mutableSetValue(forKey: "tags")
      if isOn { tags.add(objects[tag]!) } else { tags.remove(objects[tag]!) }
      objects[book]!.setValue(stamp, forKey: "stamp")
    case .chapters(let book, let chapters):
      set(book, NSOrderedSet(array: chapters.map { objects[$0]! }), "chapters")
    case .delete(let number):
      context.delete(objects.removeValue(forKey: number)!)
    }
  }

  /// The context's changes and the values of its objects, as text.
  public func look() -> [String] {
    context.performAndWait {
      context.processPendingChanges()
      return [context.insertedObjects, context.updatedObjects, context.deletedObjects].map { objects in
        objects.map { "\($0.objectID) \($0.changedValues().keys.sorted()) \($0.isInserted) \($0.isUpdated)" }
          .sorted().joined(separator: "\n")
      } + ["\(context.hasChanges)"] + lines
    }
  }

  /// Everything, as `Ledger.lines` has it.
  public var lines: [String] {
    context.performAndWait {
      ["saves \(step.map(LedgerContext.number) ?? 0)"]
        + objects.keys.sorted().map { line(objects[$0]!, $0) }
    }
  }

  private func line(_ object: NSManagedObject, _ number: Int) -> String {
    let name = object.entity.name ?? ""
    let kind = names.first { $0.value == name }?.key ?? name
    let isBook = kind == "Book" || kind == "Novel"
    func value(_ key: String) -> Any? { object.value(forKey: names[key] ?? key) }
    func numbers(_ members: [Any]) -> [Int] { members.map { LedgerContext.number(of: $0 as! NSManagedObject) } }
    func author() -> NSManagedObject? {
      let found = value("author")
      return (found as? NSSet)?.anyObject() as? NSManagedObject ?? found as? NSManagedObject
    }
    return Ledger.line(
      kind, number, value("name") as? String ?? "", value("stamp") as? Int ?? -1,
      isBook ? (value("cover") as? Data).map { Ledger.coverText($0, number: number) } : nil,
      isBook ? author().map(LedgerContext.number) : nil,
      isBook ? numbers((value("tags") as? NSSet)?.allObjects ?? []).sorted() : [],
      isBook ? numbers((value("chapters") as? NSOrderedSet)?.array ?? []) : [])
  }
}

/// The ledger's model: Author.books <->> Book.author; Book.tags <<->> Tag.books; Book.chapters <->> ordered
/// Chapter.book; Novel is a kind of Book; a cover may lie in a file of its own; one Step counts the saves.
public func makeLedgerModel() -> NSManagedObjectModel {
  func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }
  func entity(_ name: String, _ more: [NSPropertyDescription] = []) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties =
      [
        attribute("number", .integer64AttributeType), attribute("stamp", .integer64AttributeType),
        attribute("name", .stringAttributeType),
      ] + more
    return entity
  }
  func relate(
    _ one: NSEntityDescription, _ name: String, _ count: Int, isOrdered: Bool = false, _ other: NSEntityDescription,
    _ inverseName: String, _ inverseCount: Int
  ) {
    let (forth, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (forth.name, forth.maxCount, forth.isOrdered, forth.destinationEntity) = (name, count, isOrdered, other)
    (back.name, back.maxCount, back.destinationEntity) = (inverseName, inverseCount, one)
    (forth.inverseRelationship, back.inverseRelationship) = (back, forth)
    for relationship in [forth, back] {
      relationship.isOptional = true
      relationship.deleteRule = .nullifyDeleteRule
    }
    one.properties.append(forth)
    other.properties.append(back)
  }
  let cover = attribute("cover", .binaryDataAttributeType)
  cover.allowsExternalBinaryDataStorage = true
  let (author, book, tag, chapter) = (entity("Author"), entity("Book", [cover]), entity("Tag"), entity("Chapter"))
  let novel = NSEntityDescription()
  novel.name = "Novel"
  novel.properties = [attribute("genre", .stringAttributeType)]
  book.subentities = [novel]
  let step = NSEntityDescription()
  step.name = "Step"
  step.properties = [attribute("number", .integer64AttributeType)]
  relate(author, "books", 0, book, "author", 1)
  relate(book, "tags", 0, tag, "books", 0)
  relate(book, "chapters", 0, isOrdered: true, chapter, "book", 1)
  let model = NSManagedObjectModel()
  model.entities = [author, book, novel, tag, chapter, step]
  return model
}

/// One model for the process, since the framework keeps what it has computed about a model with the model.
public let ledgerModel = makeLedgerModel()
