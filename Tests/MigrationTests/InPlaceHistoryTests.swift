import CoreData
import Foundation
import TestFiles
import Testing

@Suite("Migration in place: history")
struct InPlaceHistoryTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }
  private let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]

  private func model(_ isNew: Bool) -> NSManagedObjectModel {
    func preserved(_ attribute: NSAttributeDescription) -> NSAttributeDescription {
      attribute.preservesValueInHistoryOnDeletion = true
      return attribute
    }
    let note = InPlace.entity(
      isNew ? "Memo" : "Note",
      [
        preserved(InPlace.attribute(isNew ? "zTitle" : "title", was: isNew ? "title" : nil)),
        preserved(InPlace.attribute("code")), InPlace.attribute("body"),
      ] + (isNew ? [InPlace.attribute("alpha"), preserved(InPlace.attribute("bonus"))] : []),
      was: isNew ? "Note" : nil)
    let other = InPlace.entity(isNew ? "Aardvark" : "Gone", [InPlace.attribute("name")])
    return InPlace.model(note, other)
  }

  @Test("History names the same objects, the same changed properties and the same preserved values as before")
  func history() throws {
    let before = try InPlace.open(url, model(false), tracking) { context in
      let note = InPlace.new(context, "Note", ["title": "t", "code": "c", "body": "b"])
      let other = InPlace.new(context, "Note", ["title": "t2", "code": "c2"])
      InPlace.new(context, "Gone", ["name": "g"])
      try context.save()
      note.setValue("new", forKey: "title")
      try context.save()
      note.setValue("new", forKey: "body")
      try context.save()
      context.delete(other)
      try context.save()
      return try changes(context)
    }
    #expect(before.count == 6)
    let after = try InPlace.migrate(url, to: model(true), tracking) { context in
      let changes = try changes(context)
      let note = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")).first)
      note.setValue("later", forKey: "alpha")
      try context.save()
      return changes
    }
    // History no longer lists changes of an entity that was removed.
    let expected = before.filter { !$0.hasPrefix("Gone") }
      .map { $0.replacingOccurrences(of: "title", with: "zTitle").replacingOccurrences(of: "Note", with: "Memo") }
    #expect(after == expected)
    let last = try InPlace.open(url, model(true), tracking) { try changes($0).last }
    #expect(last == "Memo p1 1 alpha ")
  }

  @Test("A composite attribute that gains an element before its others stays among the changed properties")
  func composite() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let elements = (isNew ? [InPlace.attribute("alpha")] : []) + [InPlace.attribute("city")]
      return InPlace.model(
        InPlace.entity("Person", [InPlace.attribute("name"), InferenceModels.composite("home", elements)]))
    }
    let before = try InPlace.open(url, model(false), tracking) { context in
      let person = InPlace.new(context, "Person", ["name": "a"])
      try context.save()
      person.setValue(["city": "Bonn"], forKey: "home")
      try context.save()
      return try changes(context)
    }
    #expect(before.last?.contains("home") == true)
    #expect(try InPlace.migrate(url, to: model(true), tracking) { try changes($0) } == before)
  }

  /// Entity, key, kind, what was updated, what is preserved.
  private func changes(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
    let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
    let transactions = try #require(result.result as? [NSPersistentHistoryTransaction])
    return transactions.flatMap { $0.changes ?? [] }.map { change in
      let updated = (change.updatedProperties ?? []).map(\.name).sorted().joined(separator: ",")
      let kept = (change.tombstone ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
      let key = change.changedObjectID.uriRepresentation().lastPathComponent
      return "\(change.changedObjectID.entity.name ?? "") \(key) \(change.changeType.rawValue) \(updated) \(kept)"
    }
  }
}
