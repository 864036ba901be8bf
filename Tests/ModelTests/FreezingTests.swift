import Testing

@testable import CoreData

@Suite("Models in use")
struct FreezingTests {
  @Test("A frozen model answers as before")
  func sameAnswers() {
    let library = ModelTests.library()
    let hashes = library.entityVersionHashesByName
    let checksum = library.versionChecksum
    let properties = library["Thriller"].properties
    library.freeze()
    library.freeze()
    #expect(library.entityVersionHashesByName == hashes)
    #expect(library.versionChecksum == checksum)
    #expect(library["Thriller"].properties == properties)
    #expect(library["Thriller"].isKindOf(entity: library["Book"]))
    #expect(!library["Author"].isKindOf(entity: library["Book"]))
  }

  @Test("Stores number the roots by name, each followed by its sub-entities")
  func storeOrder() {
    let library = ModelTests.library()
    library["Book"].subentities.append(entity("Atlas"))
    #expect(
      library.entitiesInStoreOrder.compactMap(\.name) == ["Author", "Book", "Atlas", "Novel", "Thriller"])
    library.setEntities([library["Novel"], library["Book"]], forConfigurationName: "Books")
    // Novel, of which nothing below is listed, takes along what is below.
    #expect(
      library.entitiesInStoreOrder(forConfigurationName: "Books")?.compactMap(\.name) == ["Book", "Novel", "Thriller"])
    #expect(library.entitiesInStoreOrder(forConfigurationName: "Maps") == nil)
  }

  @Test("A change of a frozen model traps and says what was changed")
  func immutable() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = ModelTests.library()
      library.freeze()
      library["Book"].attributesByName["title"]!.isOptional = true
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Can't modify an immutable model."))
    #expect(words.contains("NSAttributeDescription.isOptional"))
    #expect(words.contains("Book.title"))
  }

  @Test("Adding an entity to a frozen model traps")
  func immutableEntities() async {
    await #expect(processExitsWith: .failure) {
      let library = ModelTests.library()
      library.freeze()
      library.entities.append(entity("Shelf"))
    }
  }

  @Test("A copy of a frozen model can be changed")
  func copyOfFrozen() {
    let library = ModelTests.library()
    library.freeze()
    let copy = library.copy() as! NSManagedObjectModel
    copy["Book"].attributesByName["title"]!.isOptional = true
    #expect(copy.versionChecksum != library.versionChecksum)
  }

  @Test("Hashes that a compiled model states hold until a definition changes")
  func statedHashes() {
    let library = ModelTests.library()
    let stated = Data(repeating: 7, count: 32)
    library.statedVersionHashes = ["Author": stated]
    library["Author"].managedObjectClassName = "App.Author"
    #expect(library["Author"].versionHash == stated)
    #expect((library.copy() as! NSManagedObjectModel)["Author"].versionHash == stated)
    library["Author"].attributesByName["name"]!.isOptional = true
    #expect(library["Author"].versionHash != stated)
  }

  @Test("A sound model passes the check")
  func sound() throws {
    try library().validateForUse()
  }

  @Test("A model with a flaw can't be used, and the error says where and why", arguments: Flaw.all)
  func flawed(flaw: Flaw) {
    let library = ModelTests.library()
    flaw.make(library)
    let error = #expect(throws: NSError.self) { try library.validateForUse() }
    #expect(error?.localizedDescription == "The model can't be used: \(flaw.words)")
    #expect(error?.code == NSCoreDataError)
    // One of them is its own subentity, which would keep it.
    for entity in library.entities { entity.subentities = [] }
  }
}

struct Flaw: Sendable, CustomTestStringConvertible {
  var words: String
  var make: @Sendable (NSManagedObjectModel) -> Void
  var testDescription: String { words }

  static let all: [Flaw] = [
    Flaw(words: "there are two entities named Novel.") { $0["Author"].name = "Novel" },
    Flaw(words: "an entity has no name.") { $0.entities.append(NSEntityDescription()) },
    Flaw(words: "Author.name is declared twice.") { $0["Author"].properties.append(attribute("name")) },
    Flaw(words: "Novel.title is already declared by Book.") {
      $0["Novel"].properties.append(attribute("title"))
    },
    Flaw(words: "Thriller inherits from itself.") { $0["Thriller"].subentities = [$0["Book"]] },
    Flaw(words: "Book.pages has no type; only a transient attribute may lack one.") {
      $0["Book"].attributesByName["pages"]!.attributeType = .undefinedAttributeType
    },
    Flaw(words: "Book.pages has the default value \"many\", which is not of type NSNumber.") {
      $0["Book"].attributesByName["pages"]!.defaultValue = "many"
    },
    Flaw(words: "Author.friends has no destination entity.") {
      $0["Author"].properties.append(relationship("friends", to: nil, max: 0))
    },
    Flaw(words: "Author.books leads to Author, but its inverse author is declared by Book.") {
      $0["Author"].relationshipsByName["books"]!.destinationEntity = $0["Author"]
    },
    Flaw(words: "Author.books has a maximum count of 2, below its minimum of 3.") {
      $0["Author"].relationshipsByName["books"]!.maxCount = 2
      $0["Author"].relationshipsByName["books"]!.minCount = 3
    },
    Flaw(
      words: "Book.isbn is named by the uniqueness constraint (title, isbn), but there is no such attribute."
    ) { $0["Book"].uniquenessConstraints = [["title", "isbn"]] },
    Flaw(
      words: "Author.books is named by the uniqueness constraint (books), but is not a stored attribute."
    ) { $0["Author"].uniquenessConstraints = [["books"]] },
    Flaw(words: "Novel is in the configuration Novels, but its parent Book is not.") {
      $0.setEntities([$0["Novel"]], forConfigurationName: "Novels")
    },
  ]
}
