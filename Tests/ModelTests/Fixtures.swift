import CoreData

// The few lines in which the tests build models.

func attribute(
  _ name: String, _ type: NSAttributeType = .stringAttributeType, optional: Bool = true
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = optional
  return attribute
}

func relationship(_ name: String, to destination: NSEntityDescription?, max: Int) -> NSRelationshipDescription {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.destinationEntity = destination
  relationship.maxCount = max
  return relationship
}

func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  entity.properties = properties
  return entity
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

/// Author.books <->> Book.author; Novel and its sub-entity Thriller inherit from Book.
func library() -> NSManagedObjectModel {
  let author = entity("Author", [attribute("name", optional: false)])
  let book = entity(
    "Book", [attribute("title", optional: false), attribute("pages", .integer32AttributeType)])
  let novel = entity("Novel", [attribute("genre")])
  let thriller = entity("Thriller", [attribute("bodyCount", .integer16AttributeType)])
  let books = relationship("books", to: book, max: 0)
  let writer = relationship("author", to: author, max: 1)
  books.inverseRelationship = writer
  writer.inverseRelationship = books
  books.deleteRule = .cascadeDeleteRule
  author.properties.append(books)
  book.properties.append(writer)
  book.subentities = [novel]
  novel.subentities = [thriller]
  return model([thriller, book, author, novel])
}

extension Data {
  var hex: String { map { String(format: "%02x", $0) }.joined() }
}

extension NSManagedObjectModel {
  subscript(name: String) -> NSEntityDescription { entitiesByName[name]! }
}
