import CoreData
import Foundation
import Testing

/// Relationships that name an inverse which does not name them in turn.
@Suite("Inverses of one side")
struct OneSidedInverseTests {
  /// Owner.items <->> Item.owner, both sides. Pet.owner names Owner.items, Owner.lent names Item.owner, Item.tags names
  /// Tag.items, Item.box names Box.item, which names nothing.
  static func library() -> NSManagedObjectModel {
    let owner = entity("Owner", [attribute("name")])
    let item = entity("Item", [attribute("name")])
    let pet = entity("Pet", [attribute("name")])
    let tag = entity("Tag", [attribute("name")])
    let box = entity("Box", [attribute("name")])
    let items = relate(owner, "items", .many, to: item)
    let back = relate(item, "owner", .one, to: owner)
    join(items, back)
    relate(pet, "owner", .one, to: owner).inverseRelationship = items
    relate(owner, "lent", .many, to: item).inverseRelationship = back
    relate(item, "tags", .many, to: tag).inverseRelationship = relate(tag, "items", .many, to: item)
    relate(item, "box", .one, to: box).inverseRelationship = relate(box, "item", .one, to: item)
    return model([owner, item, pet, tag, box])
  }

  private func names(_ object: NSManagedObject, _ key: String) -> [String] {
    ((object[key] as? Set<NSManagedObject>) ?? []).compactMap { $0["name"] as? String }.sorted()
  }

  @Test(
    "A change of the side that names the other reaches it, and not the other way round", arguments: StoreKind.allCases)
  func directions(_ kind: StoreKind) throws {
    try withStack(kind, Self.library()) { _, context in
      let owner = context.new("Owner", ["name": "O"])
      let item = context.new("Item", ["name": "I"])
      let box = context.new("Box", ["name": "B"])
      let tag = context.new("Tag", ["name": "T"])

      item["box"] = box
      #expect(box["item"] as? NSManagedObject === item)
      box["item"] = nil
      #expect(item["box"] as? NSManagedObject === box)
      item["box"] = nil
      box["item"] = item
      #expect(item["box"] == nil)

      item["tags"] = Set([tag])
      #expect(names(tag, "items") == ["I"])
      tag["items"] = Set<NSManagedObject>()
      #expect(names(item, "tags") == ["T"])

      owner["lent"] = Set([item])
      #expect(item["owner"] as? NSManagedObject === owner)
      #expect(names(owner, "items") == ["I"])
      owner["lent"] = Set<NSManagedObject>()
      #expect(item["owner"] == nil && names(owner, "items") == [])

      // Owner.items can't hold a pet.
      let pet = context.new("Pet", ["name": "P", "owner": owner])
      #expect(names(owner, "items") == [])
      #expect(pet["owner"] as? NSManagedObject === owner)
      try context.save()
    }
  }

  @Test("Each side is saved and read as it stands", arguments: StoreKind.kept)
  func saved(_ kind: StoreKind) throws {
    let folder = StoreFolder()
    try folder.open(kind, "0", Self.library()) { _, context in
      let owner = context.new("Owner", ["name": "O"])
      let item = context.new("Item", ["name": "I"])
      let tag = context.new("Tag", ["name": "T"])
      item["tags"] = Set([tag])
      owner["lent"] = Set([item])
      context.new("Pet", ["name": "P", "owner": owner])
      try context.save()
    }
    try folder.open(kind, "0", Self.library()) { _, context in
      let owner = try #require(try context.all("Owner").first)
      let item = try #require(try context.all("Item").first)
      #expect(names(item, "tags") == ["T"])
      #expect(names(owner, "lent") == ["I"] && names(owner, "items") == ["I"])
      #expect((try context.all("Pet").first?["owner"] as? NSManagedObject) === owner)
      for tag in try context.all("Tag") { #expect(names(tag, "items") == ["I"]) }
      context.delete(owner)
      try context.save()
      #expect(item["owner"] == nil)
    }
    try folder.open(kind, "0", Self.library()) { _, context in
      let item = try #require(try context.all("Item").first)
      #expect(item["owner"] == nil)
    }
  }

  @Test("What is not mutual is told on standard error, once for each model")
  func warning() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 0..<2 { _ = NSPersistentStoreCoordinator(managedObjectModel: OneSidedInverseTests.library()) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "inverse relationships that are not mutual").count == 2)
    #expect(text.contains("Pet.owner has the inverse Owner.items, whose own inverse is Item.owner."))
    #expect(text.contains("Item.box has the inverse Box.item, which has no inverse itself."))
  }
}
