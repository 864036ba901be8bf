import CoreData
import Testing

@Suite("Descriptions of entities and properties")
struct DescriptionTests {
  @Test("A new attribute is an optional Integer 32 without a default value")
  func attributeDefaults() {
    let attribute = NSAttributeDescription()
    #expect(attribute.attributeType == .integer32AttributeType)
    #expect(attribute.type == .integer32)
    #expect(attribute.attributeValueClassName == "NSNumber")
    #expect(attribute.isOptional)
    #expect(!attribute.isTransient)
    #expect(attribute.defaultValue == nil)
    #expect(attribute.userInfo?.isEmpty == true)
    #expect(attribute.versionHash.count == 32)
  }

  @Test("A new relationship is an optional, unordered to-many with the rule Nullify")
  func relationshipDefaults() {
    let relationship = NSRelationshipDescription()
    #expect(relationship.isOptional)
    #expect(relationship.isToMany)
    #expect(!relationship.isOrdered)
    #expect(relationship.minCount == 0)
    #expect(relationship.maxCount == 0)
    #expect(relationship.deleteRule == .nullifyDeleteRule)
  }

  @Test("A new entity makes plain managed objects and is not abstract")
  func entityDefaults() {
    let entity = NSEntityDescription()
    #expect(entity.managedObjectClassName == "NSManagedObject")
    #expect(!entity.isAbstract)
    #expect(entity.properties.isEmpty)
    #expect(entity.superentity == nil)
  }

  @Test(
    "Only a maximum count of 1 makes a relationship to-one", arguments: [(0, true), (1, false), (5, true)])
  func toMany(maxCount: Int, isToMany: Bool) {
    #expect(relationship("r", to: nil, max: maxCount).isToMany == isToMany)
  }

  @Test("The renaming identifier is the name until it is set")
  func renaming() {
    let title = attribute("title")
    #expect(title.renamingIdentifier == "title")
    title.renamingIdentifier = "heading"
    #expect(title.renamingIdentifier == "heading")
    #expect(entity("Book").renamingIdentifier == "Book")
  }

  @Test(
    "Each attribute type names the class of its values",
    arguments: [
      (NSAttributeType.stringAttributeType, "NSString"), (.doubleAttributeType, "NSNumber"),
      (.decimalAttributeType, "NSDecimalNumber"), (.dateAttributeType, "NSDate"),
      (.binaryDataAttributeType, "NSData"), (.UUIDAttributeType, "NSUUID"), (.URIAttributeType, "NSURL"),
    ])
  func valueClass(type: NSAttributeType, name: String) {
    #expect(attribute("a", type).attributeValueClassName == name)
  }

  @Test("The value class of a transformable attribute is free")
  func transformableClass() {
    let shape = attribute("shape", .transformableAttributeType)
    #expect(shape.attributeValueClassName == nil)
    shape.attributeValueClassName = "App.Shape"
    #expect(shape.attributeValueClassName == "App.Shape")
  }

  @Test("A copied property has the same definition and no entity")
  func copyProperty() throws {
    let original = attribute("title", optional: false)
    original.defaultValue = "untitled"
    let book = entity("Book", [original])
    let copy = try #require(original.copy() as? NSAttributeDescription)
    #expect(copy !== original)
    #expect(copy.name == "title")
    #expect(copy.defaultValue as? String == "untitled")
    #expect(copy.versionHash == original.versionHash)
    entity("Novel").properties = [copy]
    #expect(original.entity === book)
  }

  @Test("Predicates and warnings are kept as they are set")
  func predicates() {
    let pages = attribute("pages", .integer32AttributeType)
    let positive = NSPredicate { value, _ in (value as? Int ?? 0) > 0 }
    pages.setValidationPredicates([positive], withValidationWarnings: ["not positive"])
    #expect(pages.validationPredicates == [positive])
    #expect(pages.validationWarnings as? [String] == ["not positive"])
  }

  @Test("An index knows its entity, and its elements know their properties")
  func indexes() throws {
    let title = attribute("title")
    let book = entity("Book", [title])
    let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
    element.isAscending = false
    let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
    book.indexes = [index]
    #expect(index.entity === book)
    #expect(element.indexDescription === index)
    #expect(element.property === title)

    let copy = try #require(book.copy() as? NSEntityDescription)
    let copiedElement = try #require(copy.indexes.first?.elements.first)
    #expect(copiedElement.property === copy.propertiesByName["title"])
    #expect(copiedElement.property !== title)
    #expect(!copiedElement.isAscending)
  }

  @Test("An index made without arguments has no name and no elements until they are set")
  func emptyIndex() {
    let title = attribute("title")
    let index = NSFetchIndexDescription()
    #expect(index.name.isEmpty && index.elements.isEmpty && index.entity == nil)
    index.name = "byTitle"
    index.elements = [NSFetchIndexElementDescription(property: title, collationType: .binary)]
    entity("Book", [title]).indexes = [index]
    #expect(index.name == "byTitle" && index.elements.first?.indexDescription === index)
  }

  @Test("A column made without arguments is of no property")
  func emptyElement() {
    let element = NSFetchIndexElementDescription()
    #expect(element.property == nil && element.propertyName?.isEmpty == true && element.collationType == .binary)
    #expect(NSFetchIndexDescription(name: "none", elements: [element]).elements == [element])
    #expect((element.copy() as? NSFetchIndexElementDescription)?.property == nil)
  }

  @Test("A column keeps a property that was made for it; a copy of the entity has an index over its own of that name")
  func propertyForIndex() throws {
    func id() -> NSAttributeDescription { attribute("id", .UUIDAttributeType) }
    let book = entity("Book", [attribute("title"), id()])
    let column = NSFetchIndexElementDescription(property: id(), collationType: .binary)
    #expect(column.property?.name == "id")
    column.isAscending = false
    let index = NSFetchIndexDescription(name: "byID", elements: [column, NSFetchIndexElementDescription()])
    book.indexes = [index]
    let shelf = model([book])
    #expect(column.property?.name == "id" && column.propertyName == "id")
    #expect((index.copy() as? NSFetchIndexDescription)?.elements.first?.property === column.property)
    let copiedBook = try #require(book.copy() as? NSEntityDescription)
    let copiedShelf = try #require(shelf.copy() as? NSManagedObjectModel)
    let merged = try #require(NSManagedObjectModel(byMerging: [shelf]))
    for copy in [copiedBook, copiedShelf["Book"], merged["Book"]] {
      let elements = try #require(copy.indexes.first?.elements)
      #expect(elements[0].property === copy.propertiesByName["id"] && !elements[0].isAscending)
      #expect(elements[1].property == nil)
    }
  }

  @Test("Descriptions answer keys, and predicates and sort descriptors about arrays of them")
  func keys() throws {
    let model = ModelTests.library()
    let book = try #require(model.entitiesByName["Book"])
    #expect(book.value(forKey: "name") as? String == "Book" && book.value(forKey: "isAbstract") as? Bool == false)
    let properties = book.properties
    for property in properties {
      #expect(property.value(forKey: "name") as? String == property.name)
      #expect(property.value(forKey: "optional") as? Bool == property.isOptional)
      #expect((property.value(forKey: "entity") as? NSEntityDescription) === property.entity)
    }
    let relationship = try #require(book.relationshipsByName.values.first)
    #expect(relationship.value(forKey: "toMany") as? Bool == relationship.isToMany)
    let destination = relationship.value(forKey: "destinationEntity") as? NSEntityDescription
    #expect(destination === relationship.destinationEntity)
    let named = NSArray(array: properties).filtered(using: NSPredicate(format: "name == %@", relationship.name))
    #expect(named.count == 1)
    let sorted = NSArray(array: properties).sortedArray(using: [NSSortDescriptor(key: "name", ascending: true)])
    #expect(sorted.compactMap { ($0 as? NSPropertyDescription)?.name } == properties.map(\.name).sorted())
  }

  @Test("An index keeps the expression that it alone refers to")
  func expressionIndex() {
    func makeElement() -> NSFetchIndexElementDescription {
      let expression = NSExpressionDescription()
      expression.name = "lowercaseTitle"
      return NSFetchIndexElementDescription(property: expression, collationType: .binary)
    }
    #expect(makeElement().property is NSExpressionDescription)
  }
}

@Suite("Inheritance of entities")
struct InheritanceTests {
  let library = ModelTests.library()

  @Test("Properties include the inherited ones, from the root down")
  func inheritedProperties() {
    #expect(library["Thriller"].properties.map(\.name) == ["title", "pages", "author", "genre", "bodyCount"])
    #expect(Set(library["Novel"].attributesByName.keys) == ["title", "pages", "genre"])
    #expect(library["Novel"].relationshipsByName["author"]?.destinationEntity === library["Author"])
  }

  @Test("An inherited property belongs to the entity that declares it")
  func declaringEntity() {
    #expect(library["Thriller"].propertiesByName["title"]?.entity === library["Book"])
  }

  @Test("Appending to the properties of a child leaves the inherited ones where they are")
  func appendToChild() {
    library["Novel"].properties.append(attribute("chapters", .integer16AttributeType))
    #expect(library["Novel"].propertiesByName.keys.contains("chapters"))
    #expect(library["Thriller"].propertiesByName.keys.contains("chapters"))
    #expect(!library["Book"].propertiesByName.keys.contains("chapters"))
    #expect(library["Book"].properties.count == 3)
  }

  @Test("An entity is a kind of itself and of what it inherits from")
  func kinds() {
    #expect(library["Thriller"].isKindOf(entity: library["Book"]))
    #expect(library["Book"].isKindOf(entity: library["Book"]))
    #expect(!library["Book"].isKindOf(entity: library["Novel"]))
    #expect(!library["Thriller"].isKindOf(entity: library["Author"]))
  }

  @Test("Superentity and subentities are two sides of one thing")
  func hierarchy() {
    #expect(library["Novel"].superentity === library["Book"])
    #expect(library["Book"].subentitiesByName["Novel"] === library["Novel"])
    library["Book"].subentities = []
    #expect(library["Novel"].superentity == nil)
    #expect(library["Novel"].attributesByName["title"] == nil)
  }

  @Test("A child that is given to another parent leaves its former one")
  func changeParent() {
    library["Author"].subentities = [library["Thriller"]]
    #expect(library["Novel"].subentities.isEmpty)
    #expect(library["Thriller"].superentity === library["Author"])
  }

  @Test("Relationships are found by their destination")
  func byDestination() {
    #expect(library["Author"].relationships(forDestination: library["Book"]).map(\.name) == ["books"])
    #expect(library["Author"].relationships(forDestination: library["Author"]).isEmpty)
    #expect(library["Novel"].relationships(forDestination: library["Author"]).map(\.name) == ["author"])
  }

  @Test("A model takes the sub-entities of its entities in")
  func subentitiesComeAlong() {
    let book = entity("Book")
    book.subentities = [entity("Novel")]
    let model = model([book])
    #expect(Set(model.entitiesByName.keys) == ["Book", "Novel"])
    book.subentities.append(entity("Atlas"))
    #expect(Set(model.entitiesByName.keys) == ["Book", "Novel", "Atlas"])
    #expect(model["Atlas"].managedObjectModel === model)
  }
}
