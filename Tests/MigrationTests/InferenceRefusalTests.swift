import CoreData
import Foundation
import Testing

/// What is not inferred, with the reason.
@Suite("Inferred mappings: what is refused, and why") struct InferenceRefusalTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  private func expectRefusal(
    _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel, entity: String?, property: String?,
    reason: String, at place: SourceLocation = #_sourceLocation
  ) {
    guard let error = InferenceTests.refusal(source, destination) else {
      Issue.record("it was inferred", sourceLocation: place)
      return
    }
    #expect(error.domain == NSCocoaErrorDomain, sourceLocation: place)
    #expect(error.code == NSInferredMappingModelError, sourceLocation: place)
    #expect(error.userInfo["entity"] as? String == entity, sourceLocation: place)
    #expect(error.userInfo["property"] as? String == property, sourceLocation: place)
    #expect(error.userInfo["reason"] as? String == reason, sourceLocation: place)
    let words = [entity, property].compactMap { $0 } + [reason]
    #expect(words.allSatisfy(error.localizedDescription.contains), sourceLocation: place)
  }

  @Test("Another type of an attribute")
  func type() {
    let old = Make.model(Entity("Book", [Make.attribute("pages")]))
    let new = Make.model(Entity("Book", [Make.attribute("pages", .integer32AttributeType)]))
    let renamed = Make.model(Entity("Book", [Make.attribute("count", .integer32AttributeType, was: "pages")]))
    let reason = "Source and destination attribute types are incompatible"
    expectRefusal(old, new, entity: "Book", property: "pages", reason: reason)
    expectRefusal(old, renamed, entity: "Book", property: "count", reason: reason)
    let words = InferenceTests.refusal(old, new)?.localizedDescription ?? ""
    #expect(words.contains("It was String and is Integer 32"))
    #expect(words.contains("Convert the values in a mapping model or a custom migration stage"))
  }

  static let numbers: [NSAttributeType] = [
    .booleanAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .floatAttributeType, .doubleAttributeType, .decimalAttributeType, .dateAttributeType,
  ]

  @Test("Numbers of a smaller type, and of no type that holds less", arguments: numbers)
  func numbers(_ former: NSAttributeType) {
    let wider: [NSAttributeType: Set<NSAttributeType>] = [
      .booleanAttributeType: [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType],
      .integer16AttributeType: [
        .integer32AttributeType, .integer64AttributeType, .floatAttributeType, .doubleAttributeType,
      ],
      .integer32AttributeType: [.integer64AttributeType, .doubleAttributeType],
      .integer64AttributeType: [.doubleAttributeType], .floatAttributeType: [.doubleAttributeType],
    ]
    for type in Self.numbers {
      let error = InferenceTests.refusal(
        Make.model(Entity("Book", [Make.attribute("pages", former)])),
        Make.model(Entity("Book", [Make.attribute("pages", type)])))
      #expect((error == nil) == (type == former || wider[former]?.contains(type) == true), "\(former) \(type)")
    }
  }

  @Test("A to-many relationship that becomes to-one")
  func toOne() {
    let old = Make.model(Entity("Book", [Make.toMany("tags", "Tag")]), Entity("Tag"))
    let new = Make.model(Entity("Book", [Make.toOne("tags", "Tag")]), Entity("Tag"))
    expectRefusal(
      old, new, entity: "Book", property: "tags",
      reason: "A to-many relationship can't become a to-one relationship")
  }

  @Test("Two relationships that exchange their inverses")
  func inverses() {
    func model(_ first: String, _ second: String) -> NSManagedObjectModel {
      Make.model(
        Entity("Game", [Make.toOne("home", "Team", back: first), Make.toOne("away", "Team", back: second)]),
        Entity(
          "Team",
          [
            Make.toMany("atHome", "Game", back: first == "atHome" ? "home" : "away"),
            Make.toMany("onTour", "Game", back: first == "atHome" ? "away" : "home"),
          ]))
    }
    expectRefusal(
      model("atHome", "onTour"), model("onTour", "atHome"), entity: "Game", property: "away",
      reason: "Its inverse was onTour, and now is the relationship that was called atHome")
  }

  @Test("A new common parent of entities that had none: hierarchies are not merged")
  func merged() {
    let old = Make.model(Entity("Cat"), Entity("Dog"))
    let new = Make.model(Entity("Animal"), Entity("Cat", of: "Animal"), Entity("Dog", of: "Animal"))
    let reason =
      "Entity hierarchies cannot be merged: Cat and Dog had no common parent and now share the new parent Animal"
    expectRefusal(old, new, entity: "Animal", property: nil, reason: reason)
    let deep = Make.model(
      Entity("Animal"), Entity("Cat", of: "Animal"), Entity("Loyal", of: "Animal"), Entity("Dog", of: "Loyal"))
    expectRefusal(old, deep, entity: "Animal", property: nil, reason: reason)
  }

  @Test("Two entities, or attributes with values in files, of one renaming identifier, with both names")
  func ambiguous() {
    let old = Make.model(Entity("Note", [Make.attribute("text")]))
    let entities = Make.model(Entity("Memo", was: "Note"), Entity("Letter", was: "Note"))
    expectRefusal(
      old, entities, entity: "Letter", property: nil,
      reason: "Letter and Memo share the renaming identifier Note, but only one of them can be what Note was")
    let files = [Make.attribute("body", was: "text"), Make.attribute("title", was: "text")]
    for file in files { file.allowsExternalBinaryDataStorage = true }
    let attributes = Make.model(Entity("Note", files))
    expectRefusal(
      old, attributes, entity: "Note", property: "body",
      reason: "body and title share the renaming identifier text, but only one of them can be what text was")
    expectRefusal(
      entities, old, entity: "Note", property: nil,
      reason: "Letter and Memo share the renaming identifier Note, but only one of them can have become Note")
  }

  @Test("Of several refusals the first is told: parents before children, then by name")
  func order() {
    let old = Make.model(
      Entity("Zoo", [Make.attribute("b")]), Entity("Ape", of: "Zoo", [Make.attribute("a")]),
      Entity("Town", [Make.attribute("c")]))
    let new = Make.model(
      Entity("Zoo", [Make.attribute("b", .dateAttributeType)]),
      Entity("Ape", of: "Zoo", [Make.attribute("a", .dateAttributeType)]),
      Entity("Town", [Make.attribute("c", .dateAttributeType)]))
    let reason = "Source and destination attribute types are incompatible"
    expectRefusal(old, new, entity: "Town", property: "c", reason: reason)
    let rest = Make.model(
      Entity("Zoo", [Make.attribute("b", .dateAttributeType)]),
      Entity("Ape", of: "Zoo", [Make.attribute("a", .dateAttributeType)]))
    expectRefusal(old, rest, entity: "Zoo", property: "b", reason: reason)
  }

  @Test("A model that can't be used is an error as well")
  func unusable() {
    let broken = Make.model(Entity("Book", [Make.attribute("title", .undefinedAttributeType)]))
    let error = InferenceTests.refusal(broken, Make.model(Entity("Book")))
    #expect(error?.localizedDescription.contains("title") == true)
  }
}
