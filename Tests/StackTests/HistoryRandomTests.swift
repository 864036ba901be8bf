import CoreData
import Testing

/// Replaying a history gives what the store has.
@Suite("Persistent history, at random")
struct HistoryRandomTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) ^ (state << 31)
    }
  }

  /// An object's values as a test compares them.
  private func values(_ object: NSManagedObject) -> [String: String] {
    var values: [String: String] = [:]
    for (name, property) in object.entity.propertiesByName {
      switch property {
      case let relationship as NSRelationshipDescription where relationship.isToMany:
        values[name] = object.objects(name).map { "\($0.objectID)" }.sorted().joined(separator: " ")
      case is NSRelationshipDescription: values[name] = object.object(name).map { "\($0.objectID)" } ?? "nil"
      default: values[name] = object[name].map { "\($0)" } ?? "nil"
      }
    }
    return values
  }

  @Test("Replaying what each transaction names gives the store's rows, and nothing else changed", arguments: 0..<6)
  func replay(_ seed: UInt64) throws {
    let stack = try tracked()
    var random = Generator(state: seed)
    let contexts = [stack.context, stack.newContext()]
    for context in contexts {
      context.performAndWait { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
    }
    var known: [NSManagedObjectID: [String: String]] = [:]
    var token: NSPersistentHistoryToken?
    for _ in 0..<60 {
      let context = contexts.randomElement(using: &random)!
      try context.performAndWait {
        context.refreshAllObjects()
        for _ in 0..<Int.random(in: 1...4, using: &random) { try change(context, &random) }
        if Int.random(in: 0..<8, using: &random) == 0 {
          try context.save()
          let request = NSBatchUpdateRequest(entityName: "Book")
          request.propertiesToUpdate = ["pages": Int.random(in: 0..<9, using: &random)]
          _ = try context.execute(request)
          context.refreshAllObjects()
        }
        try context.save()
      }
      let reader = stack.newContext()
      try reader.performAndWait {
        let found = try reader.transactions(after: token)
        token = found.last?.token ?? token
        for change in found.flatMap({ $0.changes ?? [] }) {
          let id = change.changedObjectID
          switch change.changeType {
          case .insert:
            #expect(known[id] == nil)
            known[id] = [:]
          case .delete:
            #expect(known.removeValue(forKey: id) != nil)
          case .update:
            #expect(known[id] != nil && change.updatedProperties?.isEmpty == false)
          }
          // The row may have been deleted by a later transaction.
          guard change.changeType != .delete, let object = try? reader.existingObject(with: id) else { continue }
          let now = values(object)
          let names = change.updatedProperties?.map(\.name) ?? Array(now.keys)
          for name in names { known[id]?[name] = now[name] }
        }
        var stored: [NSManagedObjectID: [String: String]] = [:]
        for entity in ["Author", "Book", "Tag", "Passport", "Chapter"] {
          for object in try reader.all(entity) { stored[object.objectID] = values(object) }
        }
        #expect(stored == known)
      }
    }
  }

  private func change(_ context: NSManagedObjectContext, _ random: inout Generator) throws {
    let names = ["Author", "Book", "Novel", "Tag", "Passport", "Chapter"]
    let entity = names.randomElement(using: &random)!
    let objects = try context.all(entity).sorted { $0.objectID.description < $1.objectID.description }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: context.new(entity)
    case 2: if let object = objects.randomElement(using: &random) { context.delete(object) }
    case 3:
      guard let object = objects.randomElement(using: &random) else { return }
      let key = ["Author": "name", "Tag": "name", "Passport": "number"][entity] ?? "title"
      object[key] = "\(Int.random(in: 0..<100, using: &random))"
    default:
      let books = try context.all("Book").sorted { $0.objectID.description < $1.objectID.description }
      guard let book = books.randomElement(using: &random), let object = objects.randomElement(using: &random)
      else { return }
      switch entity {
      case "Author": book["author"] = object
      case "Tag": book.mutableSetValue(forKey: "tags").add(object)
      case "Chapter": object["book"] = book
      default: book["author"] = nil
      }
    }
  }
}
