import Testing

@testable import CoreData

/// Answers for keys that its entity lacks: one by `value(forKey:)`, one by `value(forUndefinedKey:)`.
final class KeyedWord: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    key == "letter" ? string("name").map { String($0.prefix(1)) } : super.value(forKey: key)
  }
  override func value(forUndefinedKey key: String) -> Any? {
    key == "length" ? string("name")?.count : super.value(forUndefinedKey: key)
  }
}

final class MarkedWord: NSManagedObject { var mark = "!" }

final class UnnamedWord: NSManagedObject {}

@Suite("Keys that a class answers itself")
struct OwnAnswerTests {
  private func words(_ type: AnyClass) -> NSManagedObjectModel {
    model([entity("Word", [attribute("name")], class: type)])
  }

  @Test("Which classes answer keys themselves is found for every class")
  func detection() {
    #expect(KeyedReading.isOverridden(by: KeyedWord.self))
    #expect(!KeyedReading.isOverridden(by: MarkedWord.self))
    #expect(!KeyedReading.isOverridden(by: NSManagedObject.self))
  }

  @Test("Predicates and sort descriptors in memory ask the class about a key that the entity lacks")
  func asked() throws {
    try withStack(.inMemory, words(KeyedWord.self)) { _, context in
      let words = ["zebra", "ape"].map { context.new("Word", ["name": $0]) }
      #expect(NSPredicate(format: "letter == 'z'").evaluate(with: words[0]))
      #expect(NSPredicate(format: "length == 3 AND letter IN {'a'}").evaluate(with: words[1]))
      #expect(NSArray(array: words).filtered(using: NSPredicate(format: "length > 3")).count == 1)
      let byLetter = NSArray(array: words).sortedArray(using: [NSSortDescriptor(key: "letter", ascending: true)])
      #expect((byLetter.first as? NSManagedObject) === words[1])
    }
  }

  @Test("A key that nobody knows is thrown by checkedEvaluate, whether or not the class answers keys")
  func unknown() throws {
    for type in [KeyedWord.self, MarkedWord.self] as [AnyClass] {
      try withStack(.inMemory, words(type)) { _, context in
        let word = context.new("Word", ["name": "ape"])
        let predicate = NSPredicate(format: "weight > 1")
        let error = failure { _ = try predicate.checkedEvaluate(with: word) }
        #expect(error?.localizedDescription.contains("weight") == true)
      }
    }
  }

  @Test("The properties of every object have keys, by name and by getter; what this module stores in one has none")
  func propertiesOfAll() throws {
    try withStack(.inMemory, words(KeyedWord.self)) { _, context in
      let word = context.new("Word", ["name": "ape"])
      #expect(word.value(forKey: "isInserted") as? Bool == true && word.value(forKey: "deleted") as? Bool == false)
      #expect(word.value(forKey: "managedObjectContext") as? NSManagedObjectContext === context)
      #expect(word.value(forKeyPath: "entity.name") as? String == "Word")
      #expect(NSPredicate(format: "isDeleted == NO AND hasChanges == YES").evaluate(with: word))
      for key in ["state", "owner", "row", "changes"] {
        #expect(failure { _ = try NSPredicate(format: "\(key) == nil").checkedEvaluate(with: word) } != nil)
      }
    }
  }

  @Test("A stored property of a class that answers no keys is read as before")
  func stored() throws {
    try withStack(.inMemory, words(MarkedWord.self)) { _, context in
      #expect(NSPredicate(format: "mark == '!'").evaluate(with: context.new("Word")))
    }
  }

  @Test("A class that no model names has an entity without a name, and a request for it throws")
  func unnamed() throws {
    #expect(UnnamedWord.entity().name == nil)
    try withStack(.inMemory) { _, context in
      #expect(failure { _ = try context.fetch(UnnamedWord.fetchRequest()) } != nil)
    }
  }
}
