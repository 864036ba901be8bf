import CoreData
import DurabilitySupport
import Foundation
import Testing

/// Each in a process of its own: the heap is that of all threads, and the tests of one process run side by side.
@Suite("The heap", hasFaultyFiles)
struct HeapTests {
  @Test(
    "What is read, fetched, asked, changed and opened again and again needs no more memory, in a store of each type",
    arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType])
  func repeated(_ type: String) async throws {
    let report = FileManager.default.temporaryDirectory.appendingPathComponent("HeapTests-\(UUID()).txt")
    defer { try? FileManager.default.removeItem(at: report) }
    await #expect(processExitsWith: .success) { [type = type as String, path = report.path as String] in
      let things = try Things(type)
      defer { things.remove() }
      try things.complaints().joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
    let complaints = try String(contentsOf: report, encoding: .utf8)
    #expect(complaints.isEmpty, "\(complaints)")
  }
}

/// A store with a thing of all types of values, whose texts have each of the forms that strings have, and its parts.
private final class Things {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("HeapTests-\(UUID())")
  private let entity = NSEntityDescription()
  private let partEntity = NSEntityDescription()
  private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  private let coordinator: NSPersistentStoreCoordinator
  private let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")

  init(_ type: String) throws {
    let model = Things.model(entity, partEntity)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil,
      at: type == NSInMemoryStoreType ? nil : folder.appendingPathComponent("Things"))
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      make(parts: 4)
      try context.save()
    }
  }

  func complaints() throws -> [String] {
    try context.performAndWait { try readings() + requests() + changes() + openings() }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private static func model(_ entity: NSEntityDescription, _ part: NSEntityDescription) -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    func relationship(_ name: String, _ destination: NSEntityDescription, isToMany: Bool) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.isOptional = true
      relationship.maxCount = isToMany ? 0 : 1
      relationship.deleteRule = isToMany ? .cascadeDeleteRule : .nullifyDeleteRule
      return relationship
    }
    (entity.name, part.name) = ("Thing", "Part")
    let (parts, whole) = (relationship("parts", part, isToMany: true), relationship("whole", entity, isToMany: false))
    (parts.inverseRelationship, whole.inverseRelationship) = (whole, parts)
    entity.properties =
      [
        attribute("short", .stringAttributeType), attribute("middle", .stringAttributeType),
        attribute("long", .stringAttributeType), attribute("accented", .stringAttributeType),
        attribute("number", .integer64AttributeType), attribute("price", .decimalAttributeType),
        attribute("date", .dateAttributeType), attribute("data", .binaryDataAttributeType),
        attribute("identifier", .UUIDAttributeType), attribute("link", .URIAttributeType), parts,
      ]
    part.properties = [attribute("name", .stringAttributeType), whole]
    let model = NSManagedObjectModel()
    model.entities = [entity, part]
    return model
  }

  @discardableResult
  private func make(parts count: Int) -> NSManagedObject {
    let thing = NSManagedObject(entity: entity, insertInto: context)
    thing.setValuesForKeys([
      "short": "short", "middle": "a text of middle length", "long": String(repeating: "long ", count: 40),
      "accented": "ein Täxt mittlerer Länge", "number": 1 << 40, "price": NSDecimalNumber(string: "12.345"),
      "date": Date(timeIntervalSinceReferenceDate: 7), "data": Data(repeating: 7, count: 200), "identifier": UUID(),
      "link": URL(string: "https://example.org/a/path")!,
    ])
    for number in 0..<count {
      let part = NSManagedObject(entity: partEntity, insertInto: context)
      part.setValue("the name of part \(number)", forKey: "name")
      part.setValue(thing, forKey: "whole")
    }
    return thing
  }

  /// A complaint if the heap has grown by more than some bytes for each time, after as many times to get used to it.
  private func growth(_ name: String, times: Int = 1000, by limit: Int = 8, _ body: () throws -> Void) rethrows
    -> [String]
  {
    for _ in 0..<times { try body() }
    let before = heapBytes
    for _ in 0..<times { try body() }
    let grown = heapBytes - before
    return grown <= limit * times ? [] : ["\(name): \(grown) bytes after \(times) times."]
  }

  private func readings() throws -> [String] {
    let thing = try context.fetch(request)[0]
    return entity.propertiesByName.keys.sorted().flatMap { name in
      growth("Reading \(name)") { _ = thing.value(forKey: name) }
        + growth("Reading \(name) from the store") {
          context.refresh(thing, mergeChanges: false)
          _ = thing.value(forKey: name)
          context.processPendingChanges()
        }
    }
  }

  private func requests() throws -> [String] {
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Thing")
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["middle", "long", "number", "date", "price"]
    var complaints = try growth("Fetching, and letting go") {
      for thing in try context.fetch(request) { _ = thing.value(forKey: "middle") }
      context.reset()
    }
    complaints += try growth("Fetching dictionaries") { _ = try context.fetch(dictionaries) }
    complaints += try growth("Fetching by a predicate") {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.predicate = NSPredicate(format: "middle BEGINSWITH[c] %@ AND number > %d", "a text of middle length", 5)
      _ = try context.fetch(request)
    }
    let thing = try context.fetch(request)[0]
    complaints += growth("Asking a predicate") {
      _ = NSPredicate(format: "middle CONTAINS 'middle' AND ANY parts.name LIKE '*part*'").evaluate(with: thing)
    }
    return complaints
  }

  private func changes() throws -> [String] {
    var complaints = try growth("Changing and saving", times: 200) {
      let thing = try context.fetch(request)[0]
      thing.setValue("a text of middle length too", forKey: "middle")
      thing.setValue(Date(), forKey: "date")
      try context.save()
    }
    complaints += growth("Making and taking back", times: 200) {
      make(parts: 3)
      context.rollback()
    }
    // A context holds on to the last 1,024 destinations: these give way to later ones while bytes are counted.
    for _ in 0..<1100 { make(parts: 1) }
    try context.save()
    for thing in try context.fetch(request).dropFirst() { context.delete(thing) }
    try context.save()
    // SQLite's cache of pages grows a little until it is full.
    complaints += try growth("Making, saving, deleting and saving", times: 200, by: 100) {
      let thing = make(parts: 3)
      try context.save()
      context.delete(thing)
      try context.save()
    }
    return complaints
  }

  private func openings() throws -> [String] {
    let store = coordinator.persistentStores[0]
    let url = store.type == NSInMemoryStoreType ? nil : store.url
    // A SQLite store leaves some 150 bytes each time until a cache is full, after 3,000 times, and then none. On a busy
    // machine it is 80 to 280, as more threads take part. A store that stays behind has thousands.
    return try growth("Opening and closing", times: 200, by: 500) {
      let other = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
      try other.remove(try other.addPersistentStore(ofType: store.type, configurationName: nil, at: url))
    }
  }
}
