import CoreData

/// The ledger's model in a later version: a new entity before all others, so that all entities' numbers change; a
/// renamed entity and attribute, a new attribute with a default, one that is gone, a to-one relationship that became a
/// to-many one.
public func makeLaterLedgerModel() -> NSManagedObjectModel {
  let model = makeLedgerModel()
  let entities = model.entitiesByName
  let book = entities["Book"]!

  let archive = NSEntityDescription()
  archive.name = "Archive"
  let shelf = NSAttributeDescription()
  (shelf.name, shelf.attributeType, shelf.isOptional) = ("shelf", .stringAttributeType, true)
  archive.properties = [shelf]

  entities["Tag"]!.name = "Label"
  entities["Tag"]!.renamingIdentifier = "Tag"
  for entity in ["Author", "Book", "Tag", "Chapter"] {
    let stamp = entities[entity]!.attributesByName["stamp"]!
    stamp.name = "changed"
    stamp.renamingIdentifier = "stamp"
  }
  let pages = NSAttributeDescription()
  (pages.name, pages.attributeType, pages.isOptional, pages.defaultValue) = ("pages", .integer32AttributeType, false, 7)
  book.properties.append(pages)
  entities["Novel"]!.properties = entities["Novel"]!.properties.filter { $0.name != "genre" }
  let author = book.relationshipsByName["author"]!
  (author.name, author.renamingIdentifier, author.maxCount) = ("authors", "author", 0)

  model.entities += [archive]
  return model
}

/// The entities and properties that have another name in the later model.
public let laterLedgerNames = ["Tag": "Label", "stamp": "changed", "author": "authors"]

/// One model for the process.
public let laterLedgerModel = makeLaterLedgerModel()
