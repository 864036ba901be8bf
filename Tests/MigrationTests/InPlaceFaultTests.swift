import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Migration in place: what fails")
struct InPlaceFaultTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }

  private func model(_ isNew: Bool) -> NSManagedObjectModel {
    let person = InPlace.entity("Person", [InPlace.attribute("name")])
    let dog = InPlace.entity("Dog", [InPlace.attribute("name")])
    let cat = InPlace.entity("Cat", [InPlace.attribute("name")])
    if isNew {
      person.properties.append(InPlace.attribute("score", .integer32AttributeType, default: 1, optional: false))
      InPlace.join(InPlace.relate(person, "dogs", .many, dog), InPlace.relate(dog, "people", .ordered, person))
      let pet = InPlace.entity("Pet", [InPlace.attribute("tag")], subentities: [dog])
      return InPlace.model(person, pet, InPlace.entity("Aunt", [InPlace.attribute("name")]))
    }
    InPlace.join(InPlace.relate(person, "dogs", .many, dog), InPlace.relate(dog, "people", .one, person))
    person.properties += [InPlace.attribute("old"), InPlace.attribute("older"), InPlace.attribute("oldest")]
    return InPlace.model(person, dog, cat)
  }

  private func fill() throws {
    try InPlace.open(url, model(false), [NSPersistentHistoryTrackingKey: true]) { context in
      for number in 0..<5 {
        let dogs = (0..<3).map { InPlace.new(context, "Dog", ["name": "d\(number)\($0)"]) }
        InPlace.new(context, "Person", ["name": "p\(number)", "old": "x", "dogs": NSSet(array: dogs)])
        InPlace.new(context, "Cat", ["name": "c"])
      }
      try context.save()
    }
  }

  /// Everything in the file, as text.
  private func content() throws -> [[String?]] {
    let connection = try Connection(path: url.path, options: Connection.Options())
    var lines = try connection.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name")
    for table in try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
      lines += try connection.rows("SELECT * FROM \(SQLName.quoted(table[0]!)) ORDER BY 1")
    }
    return lines
  }

  @Test("Whichever step fails, the file is as it was, and the next attempt succeeds")
  func eachStep() throws {
    try fill()
    let before = try content()
    let options = InPlace.options.merging([NSPersistentHistoryTrackingKey: true]) { $1 }
    var step = 0
    while true {
      let failing = step
      nonisolated(unsafe) var didFail = false
      let error = InPlaceMigration.$willRun.withValue({ number in
        guard number == failing else { return }
        didFail = true
        throw SQLiteError(extendedCode: 778, message: "disk I/O error")
      }) {
        failure { try InPlace.open(url, model(true), options) { _ in } }
      }
      if !didFail { break }
      #expect(error?.code == NSMigrationError, "step \(step): \(error.map { "\($0)" } ?? "none")")
      #expect(((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code) == NSSQLiteError, "step \(step)")
      #expect(try content() == before, "step \(step)")
      step += 1
    }
    print("\(step) steps failed in turn")
    #expect(step > 12)
    try InPlace.check(url, model(true))
  }

  private func failure(_ body: () throws -> Void) -> NSError? {
    do {
      try body()
      return nil
    } catch {
      return error as NSError
    }
  }

  @Test("A store that another connection is writing to is not migrated, and says so")
  func locked() throws {
    try fill()
    let other = try Connection(path: url.path, options: Connection.Options())
    try other.begin(.exclusive)
    let options = InPlace.options.merging([NSPersistentStoreTimeoutOption: 0.1]) { $1 }
    #expect(failure { try InPlace.open(url, model(true), options) { _ in } }?.code == NSPersistentStoreTimeoutError)
    other.rollback()
    try InPlace.migrate(url, to: model(true), [NSPersistentHistoryTrackingKey: true]) { _ in }
  }

  @Test("Migrated by another process in the meantime, a store is left as it is")
  func twice() throws {
    try fill()
    let (old, new) = (model(false), model(true))
    let delta = try ModelDelta(inferredFrom: old, to: new)
    func migrate() throws {
      try SQLiteStore.migrateInPlace(at: url, by: delta, to: ModelLayouts.of(new), configuration: nil, options: nil)
    }
    try migrate()
    let content = try content()
    try migrate()
    #expect(try self.content() == content)
    // And one of neither version is nobody's.
    let third = model(false)
    third.entities.first { $0.name == "Cat" }!.properties.append(InPlace.attribute("x"))
    let other = try ModelDelta(inferredFrom: old, to: third)
    #expect(throws: Failure.self) {
      try SQLiteStore.migrateInPlace(at: url, by: other, to: ModelLayouts.of(third), configuration: nil, options: nil)
    }
    #expect(try self.content() == content)
  }

  @Test("The log is empty after a migration")
  func log() throws {
    try fill()
    let (old, new) = (model(false), model(true))
    try SQLiteStore.migrateInPlace(
      at: url, by: ModelDelta(inferredFrom: old, to: new), to: ModelLayouts.of(new), configuration: nil, options: nil)
    let size = (try? FileManager.default.attributesOfItem(atPath: url.path + "-wal"))?[.size] as? NSNumber
    #expect((size?.intValue ?? 0) == 0)
  }
}
