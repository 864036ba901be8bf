import Foundation
import Testing

@testable import CoreData

@Suite("The tables of a store")
struct SchemaTests {
  private func statements(_ build: (ModelBuilder) -> Void) throws -> [String] {
    let builder = ModelBuilder()
    build(builder)
    let model = builder.make()
    let plan = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil)
    defer { withExtendedLifetime(model) {} }
    return try plan.createStatements().filter { !$0.contains("Z_PRIMARYKEY") && !$0.contains("Z_METADATA") }
      .filter { !$0.contains("Z_MODELCACHE") }
  }

  @Test("Columns are grouped by type, attributes by name before foreign keys")
  func columnOrder() throws {
    #expect(
      try statements { model in
        model.entity(
          "Book",
          [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
            attribute("price", .decimalAttributeType), attribute("added", .dateAttributeType),
            attribute("weight", .doubleAttributeType), attribute("cover", .binaryDataAttributeType),
            attribute("isRead", .booleanAttributeType), attribute("id", .UUIDAttributeType),
            attribute("link", .URIAttributeType), attribute("tags", .transformableAttributeType),
            attribute("score", .floatAttributeType),
          ])
        model.entity("Author", [attribute("name", .stringAttributeType)])
        model.relate(.one("Book", "author"), .many("Author", "books"))
      } == [
        "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISREAD INTEGER, "
          + "ZPAGES INTEGER, ZAUTHOR INTEGER, ZADDED TIMESTAMP, ZSCORE FLOAT, ZWEIGHT FLOAT, ZPRICE DECIMAL, "
          + "ZLINK VARCHAR, ZTITLE VARCHAR, ZID BLOB, ZTAGS BLOB, ZCOVER BLOB )",
        "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
      ])
  }

  @Test("The second column of a relationship that is its own inverse has no name of the model's")
  func reflexive() throws {
    let made = try statements { model in
      model.entity("Person", [attribute("name", .stringAttributeType)])
      model.relateToItself(.many("Person", "friends"))
      model.relateToItself(.ordered("Person", "heroes"))
    }
    #expect(
      made.filter { $0.contains("CREATE TABLE Z_") } == [
        "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )",
        "CREATE TABLE Z_1HEROES ( Z_1HEROES INTEGER, REFLEXIVE INTEGER, Z_FOK_1HEROES INTEGER, "
          + "Z_FOK_REFLEXIVE INTEGER, PRIMARY KEY (Z_1HEROES, REFLEXIVE) )",
      ])
  }

  @Test("An index of what has no column, a to-many relationship, a transient attribute or no property, is left out")
  func indexWithoutColumn() throws {
    let indexes = try statements { model in
      let passing = attribute("passing", .stringAttributeType)
      passing.isTransient = true
      model.entity("Author", [attribute("name", .stringAttributeType)])
      let book = model.entity("Book", [attribute("title", .stringAttributeType), passing])
      model.relate(.one("Book", "author"), .many("Author", "books"))
      model.relate(.many("Book", "tags"), .many("Author", "tagged"))
      func index(_ names: [String]) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
          name: names.joined(),
          elements: names.map {
            NSFetchIndexElementDescription(property: book.propertiesByName[$0]!, collationType: .binary)
          })
      }
      book.indexes = [index(["tags"]), index(["title", "tags"]), index(["passing"]), index(["title"])]
      book.compoundIndexes = [["title", "tags"], ["title"], ["author", "title"], ["self", "title"]]
      book.relationshipsByName["tags"]!.isIndexed = true
      book.attributesByName["title"]!.isIndexed = true
      book.attributesByName["passing"]!.isIndexed = true
    }.filter { $0.hasPrefix("CREATE INDEX Z_Book") }
    #expect(
      indexes == [
        "CREATE INDEX Z_Book_author_title ON ZBOOK (ZAUTHOR COLLATE BINARY ASC, ZTITLE COLLATE BINARY ASC)",
        "CREATE INDEX Z_Book_title ON ZBOOK (ZTITLE COLLATE BINARY ASC)",
      ])
  }

  @Test("An index may have the object and its entity as columns; one with another expression is left out, by name")
  func indexOfTheObject() throws {
    func index(_ formats: [String]) -> NSFetchIndexDescription {
      NSFetchIndexDescription(
        name: formats.joined(separator: "_"),
        elements: formats.map { format in
          let column = NSExpressionDescription()
          column.name = format
          column.expression = FoundationExpression(format: format)
          return NSFetchIndexElementDescription(property: column, collationType: .binary)
        })
    }
    let model = ModelBuilder()
    model.entity("Book", [attribute("title", .stringAttributeType)]).indexes = [
      ["self"], ["title.length"], ["objectID"], ["entity", "SELF"], ["self", "length:(title)"],
    ].map(index)
    let made = model.make()
    defer { withExtendedLifetime(made) {} }
    let plan = try SchemaPlanner.plan(ModelLayouts.of(made), configuration: nil, existing: nil)
    #expect(
      try plan.createIndexes() == [
        "CREATE INDEX Z_Book_self ON ZBOOK (Z_PK COLLATE BINARY ASC)",
        "CREATE INDEX Z_Book_objectID ON ZBOOK (Z_PK COLLATE BINARY ASC)",
        "CREATE INDEX Z_Book_entity_SELF ON ZBOOK (Z_ENT COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)",
      ])
    #expect(
      plan.indexesLeftOut == [
        "title.length of Book, over title.length", "self_length:(title) of Book, over length:(title)",
      ])
  }

  @Test("A hierarchy shares one table, and a key to it has a companion for the entity")
  func hierarchy() throws {
    #expect(
      try statements { model in
        model.entity("Image", [attribute("size", .integer64AttributeType)], isAbstract: true)
        model.entity("LocalImage", [attribute("path", .stringAttributeType)], parent: "Image")
        model.entity(
          "RemoteImage", [attribute("path", .stringAttributeType), attribute("age", .integer16AttributeType)],
          parent: "Image")
        model.entity("Album")
        model.relate(.one("Album", "cover"), .many("Image", "albums"))
        model.relate(.one("LocalImage", "folder"), .many("Album", "files"))
      } == [
        "CREATE TABLE ZALBUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOVER INTEGER, "
          + "Z2_COVER INTEGER )",
        "CREATE TABLE ZIMAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSIZE INTEGER, "
          + "ZFOLDER INTEGER, ZAGE INTEGER, ZPATH VARCHAR, ZPATH1 VARCHAR )",
        "CREATE INDEX ZALBUM_ZCOVER_INDEX ON ZALBUM (ZCOVER)",
        "CREATE INDEX ZIMAGE_ZFOLDER_INDEX ON ZIMAGE (ZFOLDER)",
        "CREATE INDEX ZIMAGE_Z_ENT_INDEX ON ZIMAGE (Z_ENT)",
      ])
  }

  @Test("An ordered relationship has its places beside the inverse's key")
  func orderedInverse() throws {
    #expect(
      try statements { model in
        model.entity("BookmarkEntity", [attribute("isFolder", .booleanAttributeType)])
        model.relate(.ordered("BookmarkEntity", "children"), .one("BookmarkEntity", "parent"))
        model.relate(.ordered("BookmarkEntity", "favorites"), .many("BookmarkEntity", "favoriteFolders"))
      } == [
        "CREATE TABLE ZBOOKMARKENTITY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZISFOLDER INTEGER, ZPARENT INTEGER, Z_FOK_PARENT INTEGER )",
        "CREATE TABLE Z_1FAVORITES ( Z_1FAVORITEFOLDERS INTEGER, Z_1FAVORITES INTEGER, "
          + "Z_FOK_1FAVORITES INTEGER, PRIMARY KEY (Z_1FAVORITEFOLDERS, Z_1FAVORITES) )",
        "CREATE INDEX ZBOOKMARKENTITY_ZPARENT_INDEX ON ZBOOKMARKENTITY (ZPARENT)",
        "CREATE INDEX Z_1FAVORITES_Z_1FAVORITES_INDEX ON Z_1FAVORITES (Z_1FAVORITES, Z_1FAVORITEFOLDERS)",
      ])
  }

  @Test("A join table bears the relationship's name on the side of the lower number")
  func joinTables() throws {
    #expect(
      try statements { model in
        model.entity("Author")
        model.entity("Category")
        model.entity("Post")
        model.relate(.ordered("Author", "createdEntries"), .ordered("Post", "authors"))
        model.relate(.many("Category", "categoryInverse"), .ordered("Post", "category"))
      } == [
        "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE TABLE Z_1CREATEDENTRIES ( Z_1AUTHORS INTEGER, Z_3CREATEDENTRIES INTEGER, "
          + "Z_FOK_1AUTHORS INTEGER, Z_FOK_3CREATEDENTRIES INTEGER, PRIMARY KEY (Z_1AUTHORS, Z_3CREATEDENTRIES) )",
        "CREATE TABLE ZCATEGORY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE TABLE Z_2CATEGORYINVERSE ( Z_2CATEGORY INTEGER, Z_3CATEGORYINVERSE INTEGER, "
          + "Z_FOK_2CATEGORY INTEGER, PRIMARY KEY (Z_2CATEGORY, Z_3CATEGORYINVERSE) )",
        "CREATE TABLE ZPOST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE INDEX Z_1CREATEDENTRIES_Z_3CREATEDENTRIES_INDEX ON Z_1CREATEDENTRIES "
          + "(Z_3CREATEDENTRIES, Z_1AUTHORS)",
        "CREATE INDEX Z_2CATEGORYINVERSE_Z_3CATEGORYINVERSE_INDEX ON Z_2CATEGORYINVERSE "
          + "(Z_3CATEGORYINVERSE, Z_2CATEGORY)",
      ])
  }

  @Test("A join column whose name an earlier join table has gets a number")
  func joinColumnCollision() throws {
    let made = try statements { model in
      model.entity("Album")
      model.entity("Artist")
      model.entity("Show")
      model.relate(.many("Album", "guests"), .many("Artist", "albums"))
      model.relate(.many("Album", "shows"), .many("Show", "albums"))
    }
    #expect(made.contains { $0.hasPrefix("CREATE TABLE Z_1GUESTS ( Z_1ALBUMS INTEGER, Z_2GUESTS INTEGER,") })
    #expect(made.contains { $0.hasPrefix("CREATE TABLE Z_1SHOWS ( Z_1ALBUMS1 INTEGER, Z_3SHOWS INTEGER,") })
  }

  @Test("A relationship without inverse is a hidden key of its destination")
  func hiddenKey() throws {
    #expect(
      try statements { model in
        model.entity("Album")
        model.entity("Document", [attribute("order", .integer32AttributeType)])
        model.relate(.many("Album", "documents"), to: "Document")
        model.relate(.one("Document", "next"), to: "Document")
      } == [
        "CREATE TABLE ZALBUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE TABLE ZDOCUMENT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZORDER INTEGER, "
          + "ZNEXT INTEGER, Z1DOCUMENTS INTEGER )",
        "CREATE INDEX ZDOCUMENT_ZNEXT_INDEX ON ZDOCUMENT (ZNEXT)",
        "CREATE INDEX ZDOCUMENT_Z1DOCUMENTS_INDEX ON ZDOCUMENT (Z1DOCUMENTS)",
      ])
  }

  @Test("Fetch indexes and uniqueness constraints keep the model's spelling")
  func indexes() throws {
    let made = try statements { model in
      model.entity(
        "Person", [attribute("firstName", .stringAttributeType), attribute("lastName", .stringAttributeType)],
        unique: [["firstName", "lastName"]], indexes: [("byName", [("lastName", true), ("firstName", false)])])
    }
    #expect(
      made.dropFirst() == [
        "CREATE INDEX Z_Person_byName ON ZPERSON (ZLASTNAME COLLATE BINARY ASC, ZFIRSTNAME COLLATE BINARY DESC)",
        "CREATE UNIQUE INDEX Z_Person_UNIQUE_firstName_lastName ON ZPERSON "
          + "(ZFIRSTNAME COLLATE BINARY ASC, ZLASTNAME COLLATE BINARY ASC)",
      ])
  }

  @Test("Entities are numbered root by root, depth first, by name")
  func numbering() throws {
    let model = ModelBuilder()
    model.entity("Show")
    model.entity("Document", [])
    model.entity("ShowDocument", [], parent: "Document")
    model.entity("ArtistDocument", [], parent: "Document")
    model.entity("Artist")
    let plan = try SchemaPlanner.plan(ModelLayouts.of(model.make()), configuration: nil, existing: nil)
    defer { withExtendedLifetime(model) {} }
    #expect(
      plan.primaryKeyRows.map { "\($0.number) \($0.name) \($0.parent)" } == [
        "1 Artist 0", "2 Document 0", "3 ArtistDocument 2", "4 ShowDocument 2", "5 Show 0",
      ])
  }
}
