import CoreData
import Foundation
import TestFiles
import Testing

@Suite("Migration in place: all else that a file has")
struct InPlaceSchemaTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }

  @Test("Derived attributes are computed, for objects that there were and for what comes after")
  func derived() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let author = InPlace.entity("Author", [InPlace.attribute("name")])
      let book = InPlace.entity("Book", [InPlace.attribute("title")])
      let kind = InPlace.entity(isNew ? "Aside" : "Zine", [InPlace.attribute("name")])
      InPlace.join(InPlace.relate(author, "books", .many, book), InPlace.relate(book, "author", .one, author))
      author.properties.append(InPlace.derived("folded", .stringAttributeType, "canonical:(name)"))
      if isNew {
        author.properties.append(InPlace.derived("count", .integer32AttributeType, "books.@count"))
        book.properties.append(InPlace.derived("by", .stringAttributeType, "author.name"))
      }
      return InPlace.model(author, book, kind)
    }
    try InPlace.open(url, model(false)) { context in
      for number in 0..<3 {
        let books = (0..<number).map { InPlace.new(context, "Book", ["title": "b\(number)\($0)"]) }
        InPlace.new(context, "Author", ["name": "Ä\(number)", "books": NSSet(array: books)])
      }
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let authors = try InPlace.by(context, "Author", "name")
      #expect(authors["Ä2"]?.value(forKey: "count") as? Int == 2)
      #expect(authors["Ä0"]?.value(forKey: "count") as? Int == 0)
      #expect(authors["Ä1"]?.value(forKey: "folded") as? String == "a1")
      let books = try InPlace.by(context, "Book", "title")
      #expect(books["b21"]?.value(forKey: "by") as? String == "Ä2")
      books["b21"]?.setValue(authors["Ä0"], forKey: "author")
      try context.save()
      context.refreshAllObjects()
      #expect(authors["Ä2"]?.value(forKey: "count") as? Int == 1)
      #expect(authors["Ä0"]?.value(forKey: "count") as? Int == 1)
    }
  }

  @Test("The elements of a composite attribute go with it")
  func composite() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let address = NSCompositeAttributeDescription()
      address.name = isNew ? "home" : "address"
      address.isOptional = true
      address.elements = [InPlace.attribute("city"), InPlace.attribute("number", .integer32AttributeType)]
      if isNew { address.renamingIdentifier = "address" }
      let person = InPlace.entity("Person", [InPlace.attribute("name"), address])
      if isNew { person.properties.append(InPlace.attribute("city")) }
      return InPlace.model(person)
    }
    try InPlace.open(url, model(false)) { context in
      InPlace.new(context, "Person", ["name": "a", "address": ["city": "Bonn", "number": 3]])
      InPlace.new(context, "Person", ["name": "b"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let people = try InPlace.by(context, "Person", "name")
      let home = people["a"]?.value(forKey: "home") as? [String: Any]
      #expect(home?["city"] as? String == "Bonn")
      #expect(home?["number"] as? Int == 3)
      #expect(people["a"]?.value(forKey: "city") == nil)
      #expect(people["b"]?.value(forKey: "home") == nil)
    }
  }

  @Test("A renamed element of a composite attribute keeps its values, one with a name that was free starts empty")
  func renamedElements() throws {
    func model(_ elements: [NSAttributeDescription]) -> NSManagedObjectModel {
      InPlace.model(InPlace.entity("Person", [InPlace.attribute("name"), InferenceModels.composite("home", elements)]))
    }
    try InPlace.open(url, model([InPlace.attribute("town"), InPlace.attribute("zip")])) { context in
      InPlace.new(context, "Person", ["name": "a", "home": ["town": "Bonn", "zip": "53111"]])
      try context.save()
    }
    let new = model([InPlace.attribute("city", was: "town"), InPlace.attribute("town"), InPlace.attribute("zip")])
    try InPlace.migrate(url, to: new) { context in
      let home = try InPlace.by(context, "Person", "name")["a"]?.value(forKey: "home") as? [String: Any]
      #expect(home as? [String: String] == ["city": "Bonn", "zip": "53111"])
    }
  }

  @Test("A mandatory element that objects have no value for is refused as a mandatory attribute is")
  func mandatoryElements() throws {
    func model(_ elements: [NSAttributeDescription]) -> NSManagedObjectModel {
      InPlace.model(InPlace.entity("Person", [InPlace.attribute("name"), InferenceModels.composite("home", elements)]))
    }
    try InPlace.open(url, model([InPlace.attribute("city"), InPlace.attribute("zip")])) { context in
      InPlace.new(context, "Person", ["name": "a", "home": ["city": "Bonn"]])
      InPlace.new(context, "Person", ["name": "b"])
      try context.save()
    }
    for name in ["zip", "country"] {
      let new = model([InPlace.attribute("city"), InPlace.attribute(name, optional: false)])
      let error = #expect(throws: (any Error).self) { try InPlace.migrate(url, to: new) { _ in } }
      #expect("\((error as? NSError)?.userInfo ?? [:])".contains("home.\(name)"))
    }
    let defaulted = model([
      InPlace.attribute("city", optional: false), InPlace.attribute("country", default: "DE", optional: false),
    ])
    try InPlace.migrate(url, to: defaulted) { context in
      let home = try InPlace.by(context, "Person", "name")["a"]?.value(forKey: "home")
      #expect(home as? [String: String] == ["city": "Bonn", "country": "DE"])
    }
  }

  @Test("A file of one configuration gets what its configuration has")
  func configuration() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let user = InPlace.entity("User", [InPlace.attribute("name")])
      if isNew { user.properties.append(InPlace.attribute("more", .integer16AttributeType, default: 4)) }
      let cache = InPlace.entity("Cache", [InPlace.attribute("name")])
      let model = InPlace.model(cache, user)
      model.setEntities([user], forConfigurationName: "Own")
      model.setEntities([cache], forConfigurationName: "Other")
      return model
    }
    try InPlace.open(url, model(false), configuration: "Own") { context in
      InPlace.new(context, "User", ["name": "u"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(true), configuration: "Own") { context in
      let user = try InPlace.by(context, "User", "name")["u"]
      #expect(user?.value(forKey: "more") as? Int == 4)
    }
    #expect(try InPlace.rows(url, "SELECT name FROM sqlite_master WHERE name = 'ZCACHE'") == [])
  }

  @Test("Tables, views and indexes of others stay")
  func others() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let user = InPlace.entity("User", [InPlace.attribute("name"), InPlace.attribute(isNew ? "more" : "less")])
      return InPlace.model(user)
    }
    try InPlace.open(url, model(false)) { context in
      InPlace.new(context, "User", ["name": "u", "less": "l"])
      try context.save()
    }
    try InPlace.run(url, "CREATE TABLE mine (a); INSERT INTO mine VALUES (1); CREATE INDEX mine_name ON ZUSER (ZNAME)")
    try InPlace.run(url, "CREATE INDEX mine_less ON ZUSER (ZLESS)")
    try InPlace.run(url, "CREATE VIEW mine_seen AS SELECT ZNAME FROM ZUSER")
    try InPlace.run(url, "CREATE VIEW mine_sorted AS SELECT ZNAME FROM mine_seen ORDER BY ZNAME")
    try InPlace.open(url, model(true), InPlace.options) { _ in }
    #expect(try InPlace.rows(url, "SELECT a FROM mine") == [["1"]])
    // One of a column that goes can't.
    #expect(
      try InPlace.rows(url, "SELECT name FROM sqlite_master WHERE name LIKE 'mine%' ORDER BY name")
        == [["mine"], ["mine_name"], ["mine_seen"], ["mine_sorted"]])
  }

  @Test("A file without a model cache gets one, and metadata of the program's stay")
  func metadata() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      InPlace.model(InPlace.entity("User", [InPlace.attribute("name"), InPlace.attribute(isNew ? "more" : "less")]))
    }
    let old = model(false)
    let uuid = try InPlace.open(url, old) { context in
      let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
      context.persistentStoreCoordinator?.setMetadata(store.metadata.merging(["mine": "kept"]) { $1 }, for: store)
      InPlace.new(context, "User", ["name": "u"])
      try context.save()
      return store.identifier
    }
    try InPlace.run(url, "DROP TABLE Z_MODELCACHE")
    try InPlace.migrate(url, to: model(true)) { context in
      let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
      #expect(store.metadata["mine"] as? String == "kept")
      #expect(store.identifier == uuid)
    }
    #expect(try InPlace.rows(url, "SELECT COUNT(*) FROM Z_MODELCACHE") == [["1"]])
  }

  @Test("Keys go on where they were, in each table")
  func keys() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let other = InPlace.entity("Other", [InPlace.attribute("name")])
      let base = InPlace.entity("Base", [InPlace.attribute("name")])
      let link = InPlace.entity("Link", [InPlace.attribute("label")])
      InPlace.relate(link, "other", .one, other)
      InPlace.join(InPlace.relate(link, "others", .many, other), InPlace.relate(other, "links", .many, link))
      // The entity joins the other's hierarchy, and its rows the other's table.
      if isNew {
        other.properties.removeAll { $0.name == "name" }
        base.subentities = [other]
        return InPlace.model(base, link)
      }
      return InPlace.model(base, other, link)
    }
    try InPlace.open(url, model(false)) { context in
      for number in 0..<4 {
        InPlace.new(context, "Base", ["name": "b\(number)"])
        let other = InPlace.new(context, "Other", ["name": "o\(number)"])
        InPlace.new(context, "Link", ["label": "l\(number)", "other": other, "others": NSSet(object: other)])
      }
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let bases = try InPlace.by(context, "Base", "name")
      #expect(bases.count == 8)
      let links = try InPlace.by(context, "Link", "label")
      for number in 0..<4 {
        #expect(InPlace.names(links["l\(number)"]?.value(forKey: "other")) == ["o\(number)"])
        #expect(InPlace.names(links["l\(number)"]?.value(forKey: "others")) == ["o\(number)"])
      }
      let new = InPlace.new(context, "Other", ["name": "new"])
      try context.save()
      #expect(new.objectID.uriRepresentation().lastPathComponent == "p9")
    }
  }

  @Test("A store has the entities that its hashes state, whatever configuration has another name or other entities")
  func grownConfiguration() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let user = InPlace.entity("User", [InPlace.attribute("name", optional: !isNew)])
      let cache = InPlace.entity("Cache", [InPlace.attribute("name")])
      if isNew { user.properties.append(InPlace.attribute("more")) }
      let model = InPlace.model(cache, user)
      model.setEntities(isNew ? [user, cache] : [user], forConfigurationName: "Main")
      return model
    }
    try InPlace.open(url, model(false)) { context in
      InPlace.new(context, "User", ["name": "u"])
      InPlace.new(context, "Cache", ["name": "c"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(true), configuration: "Main") { (context) throws in
      #expect(try InPlace.by(context, "User", "name").keys.sorted() == ["u"])
      #expect(try InPlace.by(context, "Cache", "name").keys.sorted() == ["c"])
    }
  }

  @Test("A new mandatory composite attribute whose elements have default values is a new value for all objects")
  func newMandatoryComposite() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let person = InPlace.entity("Person", [InPlace.attribute("name")])
      if isNew {
        let home = InferenceModels.composite(
          "home", [InPlace.attribute("city", default: "Bonn", optional: false), InPlace.attribute("zip")])
        home.isOptional = false
        person.properties.append(home)
      }
      return InPlace.model(person)
    }
    try InPlace.open(url, model(false)) { context in
      InPlace.new(context, "Person", ["name": "a"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let home = try InPlace.by(context, "Person", "name")["a"]?.value(forKey: "home")
      #expect(home as? [String: String] == ["city": "Bonn"])
    }
  }

  @Test("The model that a store keeps serves, whatever names and counts its properties have", arguments: [false, true])
  func keptModel(_ defers: Bool) throws {
    func model(_ version: Int) -> NSManagedObjectModel {
      let note = InPlace.entity("Note", ["zone", "copy", "_id", "2nd"].map { InPlace.attribute($0) })
      let links = InPlace.relate(note, "links", .many, note)
      links.minCount = -1
      links.maxCount = -1
      if version == 1 { note.properties.append(InPlace.attribute("former")) }
      if version == 3 { note.properties.append(InPlace.attribute("later")) }
      return InPlace.model(note)
    }
    let options: [AnyHashable: Any] = defers ? [NSPersistentStoreDeferredLightweightMigrationOptionKey: true] : [:]
    func names(_ version: Int) throws -> [String] {
      // The models of earlier versions are gone, so that only the file has them.
      try InPlace.open(url, model(version), InPlace.options.merging(options) { $1 }) { context in
        try InPlace.by(context, "Note", "_id").keys.sorted()
      }
    }
    try InPlace.open(url, model(1)) { context in
      InPlace.new(context, "Note", ["_id": "a", "zone": "z", "copy": "c", "2nd": "d"])
      try context.save()
    }
    #expect(try names(2) == ["a"])
    #expect(try names(3) == ["a"])
  }
}
