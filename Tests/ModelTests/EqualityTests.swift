import CoreData
import Foundation
import Testing

@Suite("Equal models")
struct EqualityTests {
  /// A model with something of everything.
  private func rich() -> NSManagedObjectModel {
    let model = library()
    let composite = NSCompositeAttributeDescription()
    composite.name = "place"
    composite.elements = [attribute("city"), attribute("street")]
    let derived = NSDerivedAttributeDescription()
    derived.name = "upper"
    derived.attributeType = .stringAttributeType
    derived.derivationExpression = FoundationExpression(format: "uppercase:(title)")
    model["Book"].properties += [composite, derived]
    model["Book"].attributesByName["pages"]!.defaultValue = 7
    model["Book"].attributesByName["title"]!.userInfo = ["shown": "yes", "width": 3]
    model["Book"].attributesByName["title"]!.setValidationPredicates(
      [NSPredicate(format: "SELF.length > 1")], withValidationWarnings: ["short"])
    model["Book"].uniquenessConstraints = [["title"]]
    model["Book"].indexes = [
      NSFetchIndexDescription(
        name: "byTitle",
        elements: [
          NSFetchIndexElementDescription(
            property: model["Book"].attributesByName["title"]!, collationType: .binary)
        ])
    ]
    model.versionIdentifiers = ["one"]
    model.setEntities([model["Author"]], forConfigurationName: "People")
    return model
  }

  @Test("Two models of the same definition, and a copy, are equal, with their entities and properties")
  func equal() {
    let (one, other) = (rich(), rich())
    let copy = one.copy() as! NSManagedObjectModel
    for twin in [other, copy] {
      #expect(one !== twin && one == twin && one.hash == twin.hash)
      #expect(Set([one, twin]).count == 1)
      for (name, entity) in one.entitiesByName {
        let same = twin[name]
        #expect(entity == same && entity.hash == same.hash, "\(name)")
        for (key, property) in entity.propertiesByName {
          #expect(property == same.propertiesByName[key], "\(name).\(key)")
          #expect(property.hash == same.propertiesByName[key]?.hash, "\(name).\(key)")
        }
        #expect(entity.indexes == same.indexes)
        #expect(entity.indexes.first?.elements == same.indexes.first?.elements)
      }
    }
    #expect(one["Book"] != one["Novel"])
    _ = NSPersistentStoreCoordinator(managedObjectModel: one)
    #expect(one == other && other == one)
  }

  @Test("Any difference makes two models unequal", arguments: Difference.all)
  func unequal(_ difference: Difference) {
    let (one, other) = (rich(), rich())
    difference.make(other)
    #expect(one != other)
    #expect(other != one)
  }

  struct Difference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (NSManagedObjectModel) -> Void

    init(_ name: String, _ make: @escaping @Sendable (NSManagedObjectModel) -> Void) {
      (testDescription, self.make) = (name, make)
    }

    static let all = [
      Difference("an entity's name") { $0["Thriller"].name = "Mystery" },
      Difference("an entity's class") { $0["Author"].managedObjectClassName = "Writer" },
      Difference("abstract") { $0["Book"].isAbstract = true },
      Difference("one entity more") { $0.entities.append(entity("More")) },
      Difference("a property less") { $0["Author"].properties.removeFirst() },
      Difference("a property's type") { $0["Book"].attributesByName["pages"]!.attributeType = .integer64AttributeType },
      Difference("a default value") { $0["Book"].attributesByName["pages"]!.defaultValue = 8 },
      Difference("user info") { $0["Book"].attributesByName["title"]!.userInfo = ["shown": "no", "width": 3] },
      Difference("a rule") {
        $0["Book"].attributesByName["title"]!.setValidationPredicates(
          [NSPredicate(format: "SELF.length > 2")], withValidationWarnings: ["short"])
      },
      Difference("an element") {
        ($0["Book"].attributesByName["place"] as! NSCompositeAttributeDescription).elements[0].name = "town"
      },
      Difference("a delete rule") { $0["Author"].relationshipsByName["books"]!.deleteRule = .denyDeleteRule },
      Difference("an inverse") { $0["Author"].relationshipsByName["books"]!.inverseRelationship = nil },
      Difference("a renaming") { $0["Book"].renamingIdentifier = "Volume" },
      Difference("a constraint") { $0["Book"].uniquenessConstraints = [] },
      Difference("an index") { $0["Book"].indexes[0].elements[0].isAscending = false },
      Difference("version identifiers") { $0.versionIdentifiers = ["two"] },
      Difference("a configuration") { $0.setEntities([$0["Book"]], forConfigurationName: "People") },
    ]
  }

  @Test("Attributes of one name in two entities are not equal")
  func entities() {
    let model = model([entity("A", [attribute("name")]), entity("B", [attribute("name")])])
    #expect(model["A"].attributesByName["name"] != model["B"].attributesByName["name"])
    #expect(attribute("name") == attribute("name"))
    #expect(attribute("name") != attribute("nick"))
  }

  @Test("Mapping models are equal if their mappings are")
  func mappings() throws {
    func mapping() throws -> NSMappingModel {
      let later = library()
      later["Book"].properties.append(attribute("subtitle"))
      return try NSMappingModel.inferredMappingModel(forSourceModel: library(), destinationModel: later)
    }
    let (one, other) = (try mapping(), try mapping())
    #expect(one == other && one.hash == other.hash)
    let book = try #require(other.entityMappingsByName["IEM_Transform_Book"])
    #expect(one.entityMappingsByName["IEM_Transform_Book"] == book)
    book.attributeMappings?[0].valueExpression = FoundationExpression(format: "1")
    #expect(one != other)
  }
}
