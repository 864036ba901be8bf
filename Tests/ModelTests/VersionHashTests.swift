import CoreData
import Testing

@Suite("Version hashes of models")
struct VersionHashTests {
  @Test("A mandatory String attribute hashes as stores of Apple's framework have it")
  func mandatoryAttribute() {
    #expect(
      attribute("name", optional: false).versionHash.hex
        == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
  }

  @Test("An optional String attribute hashes differently from a mandatory one")
  func optionalAttribute() {
    #expect(
      attribute("petName").versionHash.hex
        == "3600ceedf50b080f90041365395158784f0deb03bc9acddf1cad607c4fe50742")
  }

  @Test("Transience, preservation in history and type enter an attribute's hash")
  func attributeOptions() {
    let id = attribute("id", .UUIDAttributeType, optional: false)
    id.preservesValueInHistoryOnDeletion = true
    #expect(id.versionHash.hex.hasPrefix("3f41bba0910aa0ee"))
    let speed = attribute("currentDrivingSpeed", .integer64AttributeType)
    speed.isTransient = true
    #expect(speed.versionHash.hex.hasPrefix("ebb767a7f9d02625"))
    let isDriving = attribute("isDriving", .booleanAttributeType, optional: false)
    isDriving.isTransient = true
    #expect(isDriving.versionHash.hex.hasPrefix("126b6a6d7e27f9c7"))
  }

  @Test("A relationship's hash has the names of its destination and inverse")
  func relationships() {
    let car = entity("Car")
    let person = entity("Person")
    let cars = relationship("cars", to: car, max: 0)
    let owner = relationship("owner", to: person, max: 1)
    cars.inverseRelationship = owner
    owner.inverseRelationship = cars
    #expect(cars.versionHash.hex.hasPrefix("3c620a49254a65e4"))
    #expect(owner.versionHash.hex.hasPrefix("de1c089788a726f3"))
  }

  @Test("An entity's hash and the model's checksum are those of a store with that model")
  func userModel() {
    let model = model([entity("User", [attribute("petName"), attribute("name", optional: false)])])
    #expect(
      model["User"].versionHash.hex == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
    #expect(model.entityVersionHashesByName == ["User": model["User"].versionHash])
    #expect(model.versionChecksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
  }

  @Test("The Event entity of new projects hashes as ever")
  func eventTemplate() {
    #expect(
      entity("Event", [attribute("timeStamp", .dateAttributeType)]).versionHash.hex
        == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
  }

  @Test("Entities of published applications have the hashes that their makers' tests state")
  func publishedHashes() {
    let blocked = entity(
      "DailyBlockedTrackersEntity",
      [
        attribute("companyName", optional: false), attribute("count", .integer64AttributeType, optional: false),
        attribute("timestamp", .dateAttributeType, optional: false),
      ])
    blocked.uniquenessConstraints = [["timestamp", "companyName"]]
    let settings = entity(
      "SyncableSettingsMetadata",
      [attribute("key", optional: false), attribute("lastModified", .dateAttributeType)])
    settings.uniquenessConstraints = [["key"]]
    let filter = entity(
      "HTTPSStoredBloomFilterSpecification",
      [
        attribute("bitCount", .integer64AttributeType, optional: false),
        attribute("errorRate", .doubleAttributeType, optional: false), attribute("sha256", optional: false),
        attribute("totalEntries", .integer64AttributeType, optional: false),
      ])
    let stated = [
      (blocked, "FzgGwKuV5MxquRXE/MDAX/fkdfsBz/AbiBnsfLqdFUI="),
      (settings, "07TVVttplTirki70JOWjXKp+1ibymh2PA79QnD1zfC0="),
      (filter, "cWqVixoTyMQdUE7ByoUDR1YMH2gvR917pElFmxC+RZU="),
      (entity("HTTPSExcludedDomain", [attribute("domain")]), "AXncKdruj21wCoJtV3yEgalwrdjSrEWEe0fBsMGPICY="),
    ]
    for (entity, hash) in stated { #expect(entity.versionHash.base64EncodedString() == hash, "\(entity.name ?? "")") }
  }

  @Test("External storage enters the hash of its entity")
  func externalStorage() {
    let image = attribute("imageData", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let review = entity(
      "Review",
      [
        attribute("bodyText"), attribute("creationDate", .dateAttributeType), image,
        attribute("lastModificationDate", .dateAttributeType), attribute("score", .doubleAttributeType),
        attribute("title"),
      ])
    #expect(review.versionHash.hex.hasPrefix("fce6c13c782a6514"))
  }

  @Test("Of a composite attribute only the attributes in it enter, by name, whatever groups them")
  func composites() {
    func group(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
      let composite = NSCompositeAttributeDescription()
      composite.name = name
      composite.elements = elements
      return composite
    }
    func hash(_ attribute: NSAttributeDescription) -> Data { model([entity("A", [attribute])])["A"].versionHash }
    let flat = hash(group("g", [attribute("x"), attribute("y", .integer64AttributeType)]))
    #expect(hash(group("g", [attribute("y", .integer64AttributeType), attribute("x")])) == flat)
    #expect(hash(group("g", [group("h", [attribute("y", .integer64AttributeType)]), attribute("x")])) == flat)
    let optional = group("g", [attribute("x"), attribute("y", .integer64AttributeType)])
    optional.isOptional.toggle()
    optional.userInfo = ["k": "v"]
    #expect(hash(optional) == flat)
    #expect(hash(group("other", [attribute("x"), attribute("y", .integer64AttributeType)])) == flat)
    #expect(hash(group("g", [attribute("x"), attribute("y")])) != flat)
    #expect(hash(group("g", [attribute("x", optional: false), attribute("y", .integer64AttributeType)])) != flat)
    let modified = group("g", [attribute("x"), attribute("y", .integer64AttributeType)])
    modified.versionHashModifier = ""
    #expect(hash(modified) == flat)
    let other = group("g", [attribute("x"), attribute("y", .integer64AttributeType)])
    other.versionHashModifier = "2"
    #expect(hash(other) != flat)
  }

  @Test("Ordered relationships of an entity to itself, and modifiers of attributes, enter the hash")
  func orderedRelationshipsAndModifiers() {
    let bookmark = entity("BookmarkEntity")
    func pair(_ many: String, _ one: String) -> [NSRelationshipDescription] {
      let toMany = relationship(many, to: bookmark, max: 0)
      let toOne = relationship(one, to: bookmark, max: 1)
      toMany.isOrdered = true
      toMany.inverseRelationship = toOne
      toOne.inverseRelationship = toMany
      return [toMany, toOne]
    }
    let relationships = pair("children", "parent") + pair("favorites", "favoriteFolder")
    let isFolder = attribute("isFolder", .booleanAttributeType, optional: false)
    let uuid = attribute("uuid", optional: false)
    let url = attribute("url")
    bookmark.properties =
      [
        isFolder, uuid, url, attribute("title"),
        attribute("isFavorite", .booleanAttributeType, optional: false),
      ]
      + relationships
    #expect(bookmark.versionHash.hex.hasPrefix("c37ad9b3"))

    let isPendingDeletion = attribute("isPendingDeletion", .booleanAttributeType)
    for changed in [isPendingDeletion, url, uuid] { changed.versionHashModifier = "3" }
    bookmark.properties =
      [
        isFolder, uuid, url, attribute("title"), isPendingDeletion,
        attribute("modifiedAt", .dateAttributeType),
      ]
      + relationships
    #expect(bookmark.versionHash.hex.hasPrefix("698b764b"))

    // Many to many, of which one side is ordered.
    relationships[3].name = "favoriteFolders"
    relationships[3].maxCount = 0
    bookmark.properties += [
      attribute("isStub", .booleanAttributeType), attribute("lastChildrenPayloadReceivedFromSync"),
    ]
    #expect(bookmark.versionHash.hex.hasPrefix("42e7ffd1"))
  }

  @Test("What a store need not know leaves the hash as it is")
  func whatDoesNotCount() {
    let library = ModelTests.library()
    let before = library.entityVersionHashesByName
    library["Book"].managedObjectClassName = "App.Book"
    library["Book"].userInfo = ["note": 1]
    library["Book"].renamingIdentifier = "Volume"
    library["Author"].relationshipsByName["books"]?.deleteRule = .denyDeleteRule
    library["Book"].attributesByName["pages"]?.defaultValue = 1
    library["Book"].attributesByName["pages"]?.isIndexed = true
    let draft = attribute("draft")
    draft.isTransient = true
    library["Book"].properties.append(draft)
    #expect(library.entityVersionHashesByName == before)
  }

  @Test(
    "What changes the rows changes the hash",
    arguments: [
      "optional", "type", "name", "modifier", "entityModifier", "abstract", "constraint", "external",
    ])
  func whatCounts(change: String) {
    let library = ModelTests.library()
    let before = library["Book"].versionHash
    let title = library["Book"].attributesByName["title"]!
    switch change {
    case "optional": title.isOptional = true
    case "type": title.attributeType = .URIAttributeType
    case "name": title.name = "heading"
    case "modifier": title.versionHashModifier = "2"
    case "entityModifier": library["Book"].versionHashModifier = "2"
    case "abstract": library["Book"].isAbstract = true
    case "constraint": library["Book"].uniquenessConstraints = [["title"]]
    default: title.allowsExternalBinaryDataStorage = true
    }
    #expect(library["Book"].versionHash != before)
  }

  @Test("A change of a parent reaches its descendants, and a new name reaches those who point there")
  func ripples() {
    let library = ModelTests.library()
    let before = library.entityVersionHashesByName
    library["Book"].attributesByName["pages"]?.isOptional = false
    #expect(library["Thriller"].versionHash != before["Thriller"])
    #expect(library["Author"].versionHash == before["Author"])
    library["Book"].name = "Volume"
    #expect(library["Author"].versionHash != before["Author"])
  }

  @Test("The order in which properties and constraints are given does not count")
  func order() {
    let one = entity("Note", [attribute("a"), attribute("b")])
    one.uniquenessConstraints = [["a"], ["b"]]
    let other = entity("Note", [attribute("b"), attribute("a")])
    other.uniquenessConstraints = [["b"], [other.attributesByName["a"]!]]
    #expect(one.versionHash == other.versionHash)
  }

  @Test("A store with equal hashes is compatible; one with more, fewer or other entities is not")
  func compatibility() {
    let library = ModelTests.library()
    let hashes = library.entityVersionHashesByName
    func fits(_ stored: [String: Data], _ configuration: String? = nil) -> Bool {
      library.isConfiguration(
        withName: configuration, compatibleWithStoreMetadata: ["NSStoreModelVersionHashes": stored])
    }
    #expect(fits(hashes))
    #expect(!fits(hashes.filter { $0.key != "Author" }))
    #expect(!fits(hashes.merging(["Shelf": Data(count: 32)]) { $1 }))
    #expect(!fits(hashes.merging(["Book": Data(count: 32)]) { $1 }))
    library.setEntities([library["Author"]], forConfigurationName: "People")
    #expect(fits(["Author": hashes["Author"]!], "People"))
    #expect(!fits(hashes, "People"))
    #expect(!fits(hashes, "NoSuchConfiguration"))
  }
}
