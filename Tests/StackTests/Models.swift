import CoreData

// Models in a few lines each.

func attribute(
  _ name: String, _ type: NSAttributeType = .stringAttributeType, optional: Bool = true,
  default value: Any? = nil
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = optional
  attribute.defaultValue = value
  return attribute
}

func entity(_ name: String, _ properties: [NSPropertyDescription] = [], class type: AnyClass? = nil)
  -> NSEntityDescription
{
  let entity = NSEntityDescription()
  entity.name = name
  entity.properties = properties
  if let type { entity.managedObjectClassName = NSStringFromClass(type) }
  return entity
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

enum Count { case one, many, ordered }

/// A relationship of `from`, without an inverse.
@discardableResult
func relate(
  _ from: NSEntityDescription, _ name: String, _ count: Count, to destination: NSEntityDescription,
  rule: NSDeleteRule = .nullifyDeleteRule, optional: Bool = true, min: Int = 0, max: Int = 0
) -> NSRelationshipDescription {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.destinationEntity = destination
  relationship.minCount = min
  relationship.maxCount = count == .one ? 1 : max
  relationship.isOrdered = count == .ordered
  relationship.deleteRule = rule
  relationship.isOptional = optional
  from.properties.append(relationship)
  return relationship
}

/// Two relationships that are each other's inverse.
func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
  one.inverseRelationship = other
  other.inverseRelationship = one
}

/// Author.books <->> Book.author; Book.tags <<->> Tag.books; Book.chapters <->> ordered Chapter.book;
/// Author.passport <-> Passport.holder; Novel is a kind of Book. Deleting an author deletes the books.
func library() -> NSManagedObjectModel {
  let author = entity("Author", [attribute("name"), attribute("born", .dateAttributeType)])
  let book = entity(
    "Book",
    [
      attribute("title", optional: false, default: "Untitled"),
      attribute("pages", .integer32AttributeType, default: 0), attribute("isbn"),
    ])
  let novel = entity("Novel", [attribute("genre")])
  let tag = entity("Tag", [attribute("name")])
  let chapter = entity("Chapter", [attribute("title")])
  let passport = entity("Passport", [attribute("number")])
  book.subentities = [novel]
  join(
    relate(author, "books", .many, to: book, rule: .cascadeDeleteRule),
    relate(book, "author", .one, to: author))
  join(relate(book, "tags", .many, to: tag), relate(tag, "books", .many, to: book))
  join(
    relate(book, "chapters", .ordered, to: chapter, rule: .cascadeDeleteRule),
    relate(chapter, "book", .one, to: book))
  join(relate(author, "passport", .one, to: passport), relate(passport, "holder", .one, to: author))
  return model([author, book, novel, tag, chapter, passport])
}
