import BatchesChapter
import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 11: batches", .serialized)
@MainActor
struct BatchesTests {
  let folder: TemporaryFolder
  let stack: WeatherStack
  let url: URL

  private var context: NSManagedObjectContext { stack.viewContext }
  private var archive: ArchiveImport { ArchiveImport(context: stack.viewContext) }
  private var batches: ReadingBatches { ReadingBatches(context: stack.viewContext) }

  init() throws {
    folder = TemporaryFolder()
    stack = try WeatherStack(folder: folder.url)
    url = folder.url.appendingPathComponent(WeatherStack.storeName)
  }

  private func addStation(_ code: String) throws -> Station {
    let station = Station(context: context)
    (station.code, station.name) = (code, code)
    try context.save()
    return station
  }

  private func readings() throws -> [Reading] {
    let request: NSFetchRequest<Reading> = Reading.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "time", ascending: true)]
    return try context.fetch(request)
  }

  private func column(_ sql: String) throws -> [StoreFileValue] {
    try StoreFileReader(contentsOf: url).rows(sql).map { $0[0] }
  }

  @Test("The three batches write what is given, a save what willSave makes of it; no batch makes objects")
  func inserts() throws {
    try archive.bySaving(WeatherArchive(["A"], readingsEach: 6))
    context.reset()
    #expect(try archive.byDictionaries(WeatherArchive(["B"], readingsEach: 6)).count == 6)
    #expect(try archive.byDictionaryHandler(WeatherArchive(["C"], readingsEach: 6)) == 6)
    #expect(try archive.byObjectHandler(WeatherArchive(["D"], readingsEach: 6)) == 6)
    #expect(context.registeredObjects.isEmpty && !context.hasChanges)
    func celsius(_ code: String) throws -> [StoreFileValue] {
      try column("SELECT ZCELSIUS FROM ZREADING WHERE ZSTATIONCODE = '\(code)' ORDER BY ZTIME")
    }
    let given = WeatherArchive(["B"], readingsEach: 6).map { StoreFileValue.real($0.celsius ?? 0) }
    for code in ["B", "C", "D"] { #expect(try celsius(code) == given) }
    #expect(try celsius("A").first == .real(-2.1))
    #expect(try Set(column("SELECT ZISCHECKED FROM ZREADING").map(\.description)) == ["0"])
    try stack.close()
  }

  @Test("A mandatory value that is missing refuses the whole batch, in each form; a limit refuses nothing")
  func checks() throws {
    var lines = Array(WeatherArchive(["A"], readingsEach: 3))
    lines[2].celsius = nil
    for insert in [
      { _ = try archive.byDictionaries(lines) }, { _ = try archive.byDictionaryHandler(lines) },
      { _ = try archive.byObjectHandler(lines) },
    ] {
      let error = try #require(throws: NSError.self) { try insert() }
      #expect(error.code == NSValidationMissingMandatoryPropertyError)
      #expect(try column("SELECT Z_PK FROM ZREADING").isEmpty)
    }
    lines[2].celsius = 1000
    #expect(try archive.byDictionaries(lines).count == 3)
    try stack.close()
  }

  @Test("A second delivery is an error, or by the policy changes the rows that are there, which keep their stations")
  func deliveries() throws {
    _ = try addStation("A")
    _ = try archive.byDictionaries(WeatherArchive(["A"], readingsEach: 2))
    #expect(try archive.link(stationOf: "A", portion: 1) == 2)
    let again = WeatherArchive(["A"], readingsEach: 3, correction: 10)
    let error = try #require(throws: NSError.self) { try archive.byDictionaries(again) }
    #expect(error.code == NSManagedObjectConstraintMergeError)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    #expect(try archive.byDictionaries(again).count == 3)
    let rows = try StoreFileReader(contentsOf: url).rows("SELECT ZCELSIUS, ZSTATION, Z_OPT FROM ZREADING ORDER BY Z_PK")
    #expect(rows[0] == [.real(7.9375), .integer(1), .integer(3)])
    #expect(rows[2] == [.real(9.8125), .null, .integer(1)])
    try stack.close()
  }

  @Test("A batch update leaves objects and undo alone; merging its ids refreshes under what was changed")
  func updates() throws {
    try archive.bySaving(WeatherArchive(["A"], readingsEach: 1))
    context.undoManager = UndoManager()
    let reading = try readings()[0]
    #expect(reading.celsius == -2.1)
    let ids = try batches.calibrate("A", by: 0.5)
    #expect(ids == [reading.objectID])
    #expect(reading.celsius == -2.1 && !reading.isChecked)
    #expect(!context.hasChanges && context.undoManager?.canUndo == false)
    reading.celsius = 5
    #expect(try #require(throws: NSError.self) { try context.save() }.code == NSManagedObjectMergeError)
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
    #expect(reading.celsius == 5 && reading.isChecked)
    try context.save()
    #expect(try column("SELECT ZCELSIUS FROM ZREADING") == [.real(5)])
    try stack.close()
  }

  @Test("A batch delete takes remarks along; its ids do not name them, but the merge finds them, and the history tells")
  func deletes() throws {
    try archive.bySaving(WeatherArchive(["A"], readingsEach: 2))
    let reading = try readings()[0]
    let remark = Remark(context: context)
    (remark.text, remark.reading) = ("Frost.", reading)
    try context.save()
    let follower = HistoryFollower(context)
    let ids = try batches.forget(before: WeatherArchive.time(1))
    #expect(ids == [reading.objectID])
    #expect(try column("SELECT Z_PK FROM ZREMARK").isEmpty)
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
    #expect(reading.managedObjectContext == nil && remark.managedObjectContext == nil)
    let changes = try follower.follow().flatMap { $0.changes ?? [] }
    #expect(Set(changes.map(\.changedObjectID.entity.name)) == ["Reading", "Remark"])
    #expect(try follower.follow().isEmpty)
    try stack.close()
  }

  @Test("A value beyond its limit stands in the file, and the next save of its object is refused")
  func limit() throws {
    _ = try archive.byDictionaries(WeatherArchive(["A"], readingsEach: 1))
    _ = try batches.calibrate("A", by: -500)
    let reading = try readings()[0]
    reading.isChecked = false
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSValidationNumberTooSmallError)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "celsius")
    context.rollback()
    try stack.close()
  }

  @Test("A deny rule stops a save and no batch; without an action a key leads nowhere")
  func deleteRules() throws {
    let station = try addStation("A")
    let visit = Visit(context: context)
    (visit.technician, visit.station) = ("Amani", station)
    try context.save()
    _ = try archive.byDictionaries(WeatherArchive(["A"], readingsEach: 1))
    let id = station.objectID
    #expect(try archive.link(stationOf: "A") == 1)
    context.delete(context.object(with: id))
    #expect(
      try #require(throws: NSError.self) { try context.save() }.code == NSValidationRelationshipDeniedDeleteError)
    context.rollback()
    try context.execute(NSBatchDeleteRequest(objectIDs: [id]))
    #expect(try column("SELECT ZSTATION FROM ZREADING") == [.null])
    #expect(try column("SELECT ZSTATION FROM ZVISIT") == [.integer(1)])
    #expect(try column("SELECT Z_PK FROM ZSTATION").isEmpty)
    try stack.close()
  }

  #if DEBUG
  @Test("A debug build measures nothing, and says so")
  func measuring() throws {
    let outcome = try ProgramRunner.run("Batches", ["--measure", "100"], store: folder.url)
    #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("DEBUG BUILD"))
    try stack.close()
  }
  #endif
}
