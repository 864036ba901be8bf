import CoreData
import Foundation
import Testing

/// What is inferred between two models: which entities and properties are kept.
@Suite("Inferred mappings") struct InferenceTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  /// The mappings as lines: `copy BookToBook`, and for those that change: `transform BookToBook title=$source.name`.
  static func lines(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) throws -> [String] {
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
    return mapping.entityMappings.map { mapping in
      let kind: String
      switch mapping.mappingType {
      case .copyEntityMappingType: kind = "copy"
      case .transformEntityMappingType: kind = "transform"
      case .addEntityMappingType: kind = "add"
      case .removeEntityMappingType: kind = "remove"
      default: kind = "?"
      }
      let names = [mapping.sourceEntityName, mapping.destinationEntityName].compactMap(\.self)
      let properties = ((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])).map {
        "\($0.name ?? "?")=\($0.valueExpression.map { "\($0)" } ?? "")"
      }
      return ([kind, names.joined(separator: "To")] + (kind == "transform" ? properties : [])).joined(separator: " ")
    }
  }

  static func refusal(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> NSError? {
    do {
      _ = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
      return nil
    } catch { return error as NSError }
  }

  @Test("A model made of copied entities is one of its own")
  func copies() throws {
    var originals: [NSManagedObjectModel] = []
    func model(_ names: [String]) -> NSManagedObjectModel {
      let original = Make.model(
        Entity("Book", names.map { Make.attribute($0) } + [Make.toOne("author", "Author", back: "books")]),
        Entity("Author", [Make.toMany("books", "Book", back: "author")]))
      originals.append(original)
      let copy = NSManagedObjectModel()
      copy.entities = original.entities.map { $0.copy() as! NSEntityDescription }
      return copy
    }
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: model(["title"]), destinationModel: model(["title", "more"]))
    #expect(mapping.entityMappings?.map(\.name) == ["IEM_Copy_Author", "IEM_Transform_Book"])
    #expect(originals.count == 2)
  }

  @Test("Equal entities are copied, changed ones transformed, others added and removed")
  func kinds() throws {
    let old = Make.model(
      Entity("Same", [Make.attribute("a")]), Entity("Changed", [Make.attribute("a")]), Entity("Gone"))
    let new = Make.model(
      Entity("Same", [Make.attribute("a")]), Entity("Changed", [Make.attribute("a"), Make.attribute("b")]),
      Entity("New"))
    #expect(
      try Self.lines(old, new) == [
        "transform ChangedToChanged a=$source.a b=", "add New", "copy SameToSame", "remove Gone",
      ])
  }

  @Test("An attribute is added, removed, and kept by name; a new one has the value of a new object")
  func attributes() throws {
    let old = Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("gone")]))
    let new = Make.model(
      Entity(
        "Book",
        [
          Make.attribute("title"), Make.attribute("note"),
          Make.attribute("stars", .integer16AttributeType, isOptional: false, default: 3),
        ]))
    #expect(try Self.lines(old, new) == ["transform BookToBook note= stars= title=$source.title"])
    #expect(try Self.lines(new, old) == ["transform BookToBook gone= title=$source.title"])
  }

  @Test("An attribute that becomes mandatory has its default value where there was none; the way back needs nothing")
  func mandatory() throws {
    let optional = Make.model(Entity("Book", [Make.attribute("title")]))
    let mandatory = Make.model(Entity("Book", [Make.attribute("title", isOptional: false, default: "-")]))
    #expect(
      try Self.lines(optional, mandatory) == [
        "transform BookToBook title=TERNARY($source.title != nil, $source.title, $destination.title)"
      ])
    #expect(try Self.lines(mandatory, optional) == ["transform BookToBook title=$source.title"])
  }

  @Test("A renamed attribute, relationship and entity is found by the identifier, which is the former name")
  func renamed() throws {
    let old = Make.model(
      Entity("Writer", [Make.attribute("name"), Make.toMany("books", "Book", back: "writer")]),
      Entity("Book", [Make.toOne("writer", "Writer", back: "books")]))
    let new = Make.model(
      Entity(
        "Author", was: "Writer",
        [Make.attribute("fullName", was: "name"), Make.toMany("works", "Book", back: "author", was: "books")]),
      Entity("Book", [Make.toOne("author", "Author", back: "works", was: "writer")]))
    func member(_ relationship: String) -> String {
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\" , \"\(relationship)\", "
        + "$source.\(relationship))"
    }
    #expect(
      try Self.lines(old, new) == [
        "transform WriterToAuthor fullName=$source.name works=\(member("books"))",
        "transform BookToBook author=\(member("writer"))",
      ])
    // And back: the identifier is the name of what is to be found.
    #expect(
      try Self.lines(new, old) == [
        "transform BookToBook writer=\(member("author"))",
        "transform AuthorToWriter name=$source.fullName books=\(member("works"))",
      ])
  }

  @Test("A chain of renamings keeps the first name as the identifier")
  func chain() throws {
    let first = Make.model(Entity("Car", [Make.attribute("color")]))
    let second = Make.model(Entity("Auto", was: "Car", [Make.attribute("paint", was: "color")]))
    let third = Make.model(Entity("Vehicle", was: "Car", [Make.attribute("hue", was: "color")]))
    #expect(try Self.lines(first, second) == ["transform CarToAuto paint=$source.color"])
    #expect(try Self.lines(second, third) == ["transform AutoToVehicle hue=$source.paint"])
    #expect(try Self.lines(first, third) == ["transform CarToVehicle hue=$source.color"])
    #expect(try Self.lines(third, first) == ["transform VehicleToCar color=$source.hue"])
    // From each version to the next, naming the one before.
    let named = Make.model(Entity("Vehicle", was: "Auto", [Make.attribute("hue", was: "paint")]))
    #expect(try Self.lines(second, named) == ["transform AutoToVehicle hue=$source.paint"])
  }

  @Test("A new name without an identifier is another entity, another attribute")
  func renamedWithoutIdentifier() throws {
    let old = Make.model(Entity("Car", [Make.attribute("color")]), Entity("Road", [Make.attribute("length")]))
    let new = Make.model(Entity("Auto", [Make.attribute("color")]), Entity("Road", [Make.attribute("size")]))
    #expect(try Self.lines(old, new) == ["add Auto", "transform RoadToRoad size=", "remove Car"])
  }

  @Test("An identifier counts more than a name: what has another's name now is new")
  func identifierBeforeName() throws {
    let old = Make.model(Entity("Note", [Make.attribute("text")]))
    let new = Make.model(
      Entity("Note", [Make.attribute("text")]),
      Entity("Memo", was: "Note", [Make.attribute("text"), Make.attribute("body", was: "text")]))
    #expect(try Self.lines(old, new) == ["transform NoteToMemo body=$source.text text=", "add Note"])
    // Back: the old model has an entity named Note, which stays what it is.
    #expect(try Self.lines(new, old) == ["transform MemoToNote text=$source.body", "remove Note"])
    // An unchanged model stays as it is, although its identifiers name an earlier one's entities.
    #expect(try Self.lines(new, new) == ["copy MemoToMemo", "copy NoteToNote"])
    // A version that has forgotten the identifiers.
    let later = Make.model(
      Entity("Note", [Make.attribute("text")]), Entity("Memo", [Make.attribute("text"), Make.attribute("body")]))
    #expect(try Self.lines(new, later) == ["copy MemoToMemo", "copy NoteToNote"])
  }

  @Test("Names are exchanged, and the exchange is taken back in a chain")
  func exchanged() throws {
    let old = Make.model(Entity("Pair", [Make.attribute("a"), Make.attribute("b")]), Entity("X"), Entity("Y"))
    let new = Make.model(
      Entity("Pair", [Make.attribute("a", was: "b"), Make.attribute("b", was: "a"), Make.attribute("c")]),
      Entity("Y", was: "X"), Entity("Z", was: "Y"))
    #expect(
      try Self.lines(old, new) == [
        "transform PairToPair a=$source.b b=$source.a c=", "transform XToY", "transform YToZ",
      ])
    #expect(
      try Self.lines(new, old) == [
        "transform PairToPair a=$source.a b=$source.b", "transform YToX", "transform ZToY",
      ])
  }

  @Test("Of renamings that are taken back, those that nothing stands in the way of come first, whatever their names")
  func takenBackTogether() throws {
    let new = Make.model(Entity("Pair", [Make.attribute("c"), Make.attribute("d")]))
    // What was c before, and is b, can be c again, since there is no b any more. Only then could c be d, which a is.
    let old = Make.model(
      Entity("Pair", [Make.attribute("a", was: "d"), Make.attribute("b", was: "c"), Make.attribute("c", was: "d")]))
    #expect(try Self.lines(old, new) == ["transform PairToPair c=$source.b d=$source.a"])
    let mirrored = Make.model(
      Entity("Pair", [Make.attribute("a", was: "c"), Make.attribute("b", was: "d"), Make.attribute("d", was: "c")]))
    #expect(try Self.lines(mirrored, new) == ["transform PairToPair c=$source.a d=$source.b"])
  }

  @Test("Attributes move up and down a hierarchy, and entities into and out of one")
  func hierarchy() throws {
    let flat = Make.model(
      Entity("Animal", [Make.attribute("name")]),
      Entity("Cat", of: "Animal", [Make.attribute("color", isOptional: false)]),
      Entity("Dog", of: "Animal", [Make.attribute("height")]), Entity("Stone"))
    let moved = Make.model(
      Entity("Thing", isAbstract: true),
      Entity("Animal", of: "Thing", [Make.attribute("name"), Make.attribute("height")]),
      Entity("Cat", of: "Animal", [Make.attribute("color", isOptional: false)]), Entity("Dog", of: "Animal"),
      Entity("Stone", of: "Animal"))
    #expect(
      try Self.lines(flat, moved) == [
        "add Thing", "transform AnimalToAnimal height= name=$source.name",
        "transform CatToCat color=$source.color height= name=$source.name",
        "transform DogToDog height=$source.height name=$source.name", "transform StoneToStone height= name=",
      ])
    #expect(
      try Self.lines(moved, flat) == [
        "transform AnimalToAnimal name=$source.name",
        "transform CatToCat color=$source.color name=$source.name",
        "transform DogToDog height=$source.height name=$source.name", "transform StoneToStone", "remove Thing",
      ])
  }

  @Test("A mandatory attribute moves from all children up to an abstract parent")
  func mandatoryUp() throws {
    let old = Make.model(
      Entity("Shape", isAbstract: true), Entity("Ball", of: "Shape", [Make.attribute("name", isOptional: false)]),
      Entity("Cube", of: "Shape", [Make.attribute("name", isOptional: false)]))
    let new = Make.model(
      Entity("Shape", isAbstract: true, [Make.attribute("name", isOptional: false)]), Entity("Ball", of: "Shape"),
      Entity("Cube", of: "Shape"))
    #expect(Self.refusal(old, new) == nil)
  }

  @Test("A new parent may gather entities of one hierarchy, an existing one any")
  func newParents() throws {
    let old = Make.model(Entity("A"), Entity("B", of: "A"), Entity("C", of: "A"), Entity("D"))
    let between = Make.model(Entity("A"), Entity("N", of: "A"), Entity("B", of: "N"), Entity("C", of: "N"), Entity("D"))
    #expect(Self.refusal(old, between) == nil)
    let split = Make.model(Entity("N"), Entity("B", of: "N"), Entity("C", of: "N"), Entity("D"))
    #expect(Self.refusal(old, split) == nil)
    let below = Make.model(Entity("A"), Entity("B", of: "A"), Entity("C", of: "A"), Entity("D", of: "B"))
    #expect(Self.refusal(old, below) == nil)
    let gathered = Make.model(Entity("A"), Entity("N", of: "A"), Entity("D", of: "N"), Entity("B", of: "N"))
    #expect(Self.refusal(old, gathered) == nil)
  }

  @Test("Relationships are added and removed, to-one becomes to-many, and order comes and goes")
  func relationships() throws {
    func model(_ link: InferenceModels.Link, _ others: NSPropertyDescription...) -> NSManagedObjectModel {
      Make.model(Entity("Book", [link] + others), Entity("Tag"))
    }
    let one = model(Make.toOne("tags", "Tag"))
    let many = model(Make.toMany("tags", "Tag"), Make.toMany("more", "Tag"))
    let ordered = model(Make.toMany("tags", "Tag", isOrdered: true))
    for (old, new) in [(one, many), (one, ordered), (many, ordered), (ordered, many)] {
      let line = try #require(try Self.lines(old, new).first)
      #expect(line.contains("tags=FUNCTION($manager, "))
      #expect(old === one || new === many || !line.contains("more"))
    }
  }

  @Test("An attribute that becomes transient goes, one that ceases to be is new; fetched properties take no part")
  func transient() throws {
    let stored = Make.model(Entity("Book", [Make.attribute("a"), Make.attribute("b", isTransient: true)]))
    let other = Make.model(Entity("Book", [Make.attribute("a", isTransient: true), Make.attribute("b")]))
    #expect(try Self.lines(stored, other) == ["transform BookToBook b="])
    let mandatory = Make.model(Entity("Book", [Make.attribute("a"), Make.attribute("b", isOptional: false)]))
    #expect(try Self.lines(stored, mandatory) == ["transform BookToBook a=$source.a b="])
  }

  @Test("An attribute and a relationship of one name are not the same")
  func otherKind() throws {
    let attribute = Make.model(Entity("Book", [Make.attribute("author")]), Entity("Author"))
    let relationship = Make.model(Entity("Book", [Make.toOne("author", "Author")]), Entity("Author"))
    #expect(try Self.lines(attribute, relationship) == ["copy AuthorToAuthor", "transform BookToBook author="])
    #expect(try Self.lines(relationship, attribute) == ["copy AuthorToAuthor", "transform BookToBook author="])
  }

  @Test("A derived attribute is never mapped: the store computes it; one that becomes a plain one keeps its values")
  func derived() throws {
    let plain = Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("key")]))
    let derived = Make.model(
      Entity("Book", [Make.attribute("title"), Make.derived("key", .stringAttributeType, as: "lowercase:(title)")]))
    let mandatory = Make.model(
      Entity("Book", [Make.attribute("title"), Make.attribute("key", isOptional: false, default: "")]))
    #expect(try !Self.lines(mandatory, derived)[0].contains("key"))
    #expect(try Self.lines(derived, mandatory)[0].contains("$source.key"))
    #expect(Self.refusal(plain, derived) == nil)
  }

  @Test("A constraint that is added or removed is inferred; what the rows say comes later")
  func constraints() throws {
    let old = Make.model(Entity("Book", [Make.attribute("isbn")]))
    let new = Make.model(Entity("Book", unique: [["isbn"]], [Make.attribute("isbn")]))
    #expect(try Self.lines(old, new) == ["transform BookToBook isbn=$source.isbn"])
    #expect(try Self.lines(new, old) == ["transform BookToBook isbn=$source.isbn"])
  }

  @Test("A relationship whose destination was removed is empty, as its members are gone")
  func removedDestination() throws {
    let old = Make.model(Entity("Book", [Make.toOne("place", "Shelf")]), Entity("Shelf"), Entity("Room"))
    let new = Make.model(Entity("Book", [Make.toOne("place", "Room")]), Entity("Room"))
    #expect(try Self.lines(old, new) == ["transform BookToBook place=", "copy RoomToRoom", "remove Shelf"])
  }

  @Test("A relationship may lead further up or down the hierarchy of its destination")
  func widerDestination() throws {
    let old = Make.model(Entity("Book", [Make.toOne("by", "Author")]), Entity("Person"), Entity("Author", of: "Person"))
    let new = Make.model(Entity("Book", [Make.toOne("by", "Person")]), Entity("Person"), Entity("Author", of: "Person"))
    #expect(Self.refusal(old, new) == nil)
    #expect(Self.refusal(new, old) == nil)
  }

  @Test("The models stay as mutable as they are")
  func mutability() throws {
    let old = Make.model(Entity("Book"))
    let new = Make.model(Entity("Book", [Make.attribute("title")]))
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    new.entities[0].name = "Volume"
    #expect(mapping.entityMappings[0].destinationEntityName == "Book")
  }

  @Test("A mapping's name says that it is inferred, what kind it is, and the destination's entity")
  func names() throws {
    let old = Make.model(Entity("Same"), Entity("A"), Entity("B", [Make.attribute("a")]), Entity("Gone"))
    let new = Make.model(Entity("Same"), Entity("C", was: "A"), Entity("B", [Make.attribute("b")]), Entity("New"))
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    #expect(
      Set(mapping.entityMappingsByName.keys) == [
        "IEM_Copy_Same", "IEM_Transform_B", "IEM_Transform_C", "IEM_Add_New", "IEM_Remove_Gone",
      ])
  }

  @Test("A mapping's notes name the properties that are kept, added and removed, inherited and derived ones too")
  func notes() throws {
    func book(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
      let count = NSDerivedAttributeDescription()
      (count.name, count.attributeType, count.isOptional) = ("length", .integer64AttributeType, true)
      count.derivationExpression = NSExpression(format: "title")
      return Make.model(
        Entity("Item", [Make.attribute("number")]),
        Entity("Book", of: "Item", [Make.attribute("title"), count] + properties))
    }
    let old = book([Make.attribute("site")])
    let renamed = Make.attribute("blurb")
    renamed.renamingIdentifier = "site"
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: book([Make.attribute("isbn")]))
    let notes = try #require(mapping.entityMappingsByName["IEM_Transform_Book"]?.userInfo)
    #expect(notes["mappedProperties"] as? Set<String> == ["number", "title", "length"])
    #expect(notes["addedProperties"] as? Set<String> == ["isbn"])
    #expect(notes["removedProperties"] as? Set<String> == ["site"])
    let renaming = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: book([renamed]))
    let kept = try #require(renaming.entityMappingsByName["IEM_Transform_Book"]?.userInfo)
    #expect(kept["mappedProperties"] as? Set<String> == ["number", "title", "length", "blurb"])
    #expect(kept["removedProperties"] as? Set<String> == [])
  }
}
