import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import ManualStackChapter

@Suite("Chapter 1: the stack by hand", .serialized)
@MainActor
struct ManualStackTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent(CoreDataStack.storeName)
  }

  private func rows() throws -> Int { try StoreFileReader(contentsOf: url).rowCount(of: "ZSTUDENT") }

  @Test("Nothing is made before it is asked for, and the context makes the rest, lowest first")
  func lazyOrder() throws {
    let stack = CoreDataStack(folder: folder.url)
    #expect(stack.made.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    _ = stack.managedObjectContext
    #expect(
      stack.made == [
        "managedObjectModel", "applicationDocumentsDirectory", "persistentStoreCoordinator",
        "managedObjectContext",
      ])
    #expect(stack.loadingFailure == nil)
    try stack.close()
  }

  @Test("A student reaches the file with the save and not before")
  func createAndSave() throws {
    let stack = CoreDataStack(folder: folder.url)
    let register = StudentRegister(context: stack.managedObjectContext)
    register.add(name: "Ada", age: 20, id: 1)
    #expect(try register.all().count == 1)
    #expect(try rows() == 0)
    try stack.saveContext()
    let reader = try StoreFileReader(contentsOf: url)
    let values = try reader.rows("SELECT ZSTUDENTNAME, ZSTUDENTAGE, ZSTUDENTID FROM ZSTUDENT")
    #expect(values == [[.text("Ada"), .integer(20), .integer(1)]])
    try stack.close()
  }

  @Test("Update and delete reach the file with the save and not before")
  func updateAndDelete() throws {
    let stack = CoreDataStack(folder: folder.url)
    let register = StudentRegister(context: stack.managedObjectContext)
    let ada = register.add(name: "Ada", age: 20, id: 1)
    register.add(name: "Grace", age: 22, id: 2)
    try stack.saveContext()

    ada.studentAge = 21
    let age = "SELECT ZSTUDENTAGE FROM ZSTUDENT WHERE ZSTUDENTID = 1"
    #expect(try StoreFileReader(contentsOf: url).integer(age) == 20)
    try stack.saveContext()
    #expect(try StoreFileReader(contentsOf: url).integer(age) == 21)

    register.remove(try #require(try register.student(withId: 2)))
    #expect(try rows() == 2)
    try stack.saveContext()
    #expect(try rows() == 1)
    try stack.close()
  }

  @Test("A second stack reads what the first one saved")
  func secondStack() throws {
    let first = CoreDataStack(folder: folder.url)
    StudentRegister(context: first.managedObjectContext).add(name: "Ada", age: 20, id: 1)
    try first.saveContext()
    try first.close()
    let second = CoreDataStack(folder: folder.url)
    let names = try StudentRegister(context: second.managedObjectContext).all().map(\.studentName)
    #expect(names == ["Ada"])
    try second.close()
  }

  @Test("A file that is no database is reported with description, reason and cause, and left as it was")
  func brokenStore() throws {
    let text = "These are notes, and no database.\n"
    try Data(text.utf8).write(to: url)
    let stack = CoreDataStack(folder: folder.url)
    _ = stack.managedObjectContext
    let failure = try #require(stack.loadingFailure)
    #expect(!failure.localizedDescription.isEmpty)
    #expect(failure.localizedFailureReason?.contains(url.path) == true)
    let cause = try #require(failure.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(cause.domain == NSCocoaErrorDomain)
    let thrown = #expect(throws: NSError.self) { try stack.saveContext() }
    #expect(thrown === failure)
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test("The older form adds the store in the background and calls back on the main queue")
  func callback() async throws {
    var stack: CallbackStack?
    var addedOnMain: Bool?
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let calledOnMain: Bool = try await withCheckedThrowingContinuation { continuation in
      do {
        stack = try CallbackStack(
          storeURL: url, willAdd: { addedOnMain = DispatchQueue.getSpecific(key: key) == true },
          completion: { result in
            continuation.resume(with: result.map { _ in DispatchQueue.getSpecific(key: key) == true })
          })
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(addedOnMain == false)
    #expect(calledOnMain)
    #expect(try StudentRegister(context: try #require(stack).managedObjectContext).all().isEmpty)
  }

  @Test(
    "The same stack over each type of store: what has a file is there for the next one",
    arguments: [(NSSQLiteStoreType, 1), (NSXMLStoreType, 1), (NSBinaryStoreType, 1), (NSInMemoryStoreType, 0)])
  func types(type: String, left: Int) throws {
    let first = CoreDataStack(folder: folder.url, storeType: type)
    StudentRegister(context: first.managedObjectContext).add(name: "Ada", age: 20, id: 1)
    try first.saveContext()
    try first.close()
    #expect(FileManager.default.fileExists(atPath: first.storeURL.path) == (left > 0))
    let second = CoreDataStack(folder: folder.url, storeType: type)
    #expect(try StudentRegister(context: second.managedObjectContext).all().count == left)
    try second.close()
  }

  @Test("Of two stores behind one coordinator each has the objects of its configuration")
  func twoStores() throws {
    let stack = try TwoStoreStack(folder: folder.url)
    let ada = StudentRegister(context: stack.context).add(name: "Ada", age: 20, id: 7)
    let grade = Grade(context: stack.context)
    (grade.subject, grade.mark, grade.studentId) = ("Logic", 2, 7)
    try stack.context.save()
    #expect(stack.grades(of: ada) == [grade])
    #expect(ada.objectID.persistentStore?.configurationName == "Students")
    #expect(grade.objectID.persistentStore?.configurationName == "Grades")
    try stack.close()
    let file = folder.url.appendingPathComponent(TwoStoreStack.studentsName)
    #expect(try StoreFileReader(contentsOf: file).tables().filter { $0.hasSuffix("GRADE") }.isEmpty)
    let text = try String(contentsOf: folder.url.appendingPathComponent(TwoStoreStack.gradesName), encoding: .utf8)
    #expect(text.contains(">Logic<") && !text.contains("Ada"))
  }

  @Test("The program leaves the rows that it says it leaves")
  func program() throws {
    let outcome = try ProgramRunner.run("ManualStack", [], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("Store folder: \(folder.url.path)"))
    #expect(try rows() == 2)
    #expect(outcome.output.contains("before save(): 3 students in the context, 0 rows in the file"))
  }

  @Test("With --callback a fetch before the callback fails, and one after it finds what the file has")
  func programWithCallback() throws {
    let outcome = try ProgramRunner.run("ManualStack", ["--callback"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("a fetch before the callback fails: NSCocoaErrorDomain"))
    #expect(outcome.number(after: "the closed file holds") == 1)
    #expect(try rows() == 1)
  }

  @Test("A second run adds to what is there, and --fresh starts over")
  func programTwice() throws {
    try ProgramRunner.run("ManualStack", [], store: folder.url)
    try ProgramRunner.run("ManualStack", [], store: folder.url)
    #expect(try rows() == 4)
    try ProgramRunner.run("ManualStack", ["--fresh"], store: folder.url)
    #expect(try rows() == 2)
  }

  @Test("The program says which file is no database, and fails")
  func programWithBrokenStore() throws {
    try Data("no database".utf8).write(to: url)
    let outcome = try ProgramRunner.run("ManualStack", [], store: folder.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: "))
    #expect(outcome.errors.contains(url.path))
    #expect(
      outcome.errors.split(separator: "\n").dropFirst() == ["What 259 means: swift run inspect --error 259"])
  }

  @Test("Arguments for the stack do not disturb the program's own, and show each save's SQL")
  func debugArguments() throws {
    let outcome = try ProgramRunner.run(
      "ManualStack", ["-com.apple.CoreData.SQLDebug", "1"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let writes = outcome.errors.split(separator: "\n").filter { $0.contains(" ZSTUDENT ") || $0.contains(" ZSTUDENT(") }
      .compactMap { ["INSERT", "UPDATE", "DELETE"].first(where: $0.dropFirst("CoreData: sql: ".count).hasPrefix) }
    #expect(writes == ["INSERT", "INSERT", "INSERT", "UPDATE", "DELETE"])
  }

  @Test("A key that was given out is not given out again, and an update raises the version")
  func keysAndVersions() throws {
    try ProgramRunner.run("ManualStack", [], store: folder.url)
    let reader = try StoreFileReader(contentsOf: url)
    let rows = try reader.rows("SELECT Z_PK, Z_OPT, ZSTUDENTNAME FROM ZSTUDENT ORDER BY Z_PK")
    #expect(rows == [[.integer(1), .integer(2), .text("Ada")], [.integer(3), .integer(1), .text("Barbara")]])
    #expect(try reader.integer("SELECT Z_MAX FROM Z_PRIMARYKEY") == 3)
  }

  @Test("A fetch lays unsaved changes over what the store answers, and makes one object for each row")
  func overlayAndIdentity() throws {
    let stack = CoreDataStack(folder: folder.url)
    let register = StudentRegister(context: stack.managedObjectContext)
    let ada = register.add(name: "Ada", age: 20, id: 1)
    try stack.saveContext()
    ada.studentId = 9
    #expect(try register.student(withId: 1) == nil)
    #expect(try register.student(withId: 9) === ada)
    #expect(try register.all().first === ada)
    try stack.close()
  }

  @Test(
    "A save to an atomic store whose file somebody else has written is refused",
    arguments: [NSXMLStoreType, NSBinaryStoreType])
  func atomicStoreWrittenElsewhere(type: String) throws {
    let first = CoreDataStack(folder: folder.url, storeType: type)
    let second = CoreDataStack(folder: folder.url, storeType: type)
    for stack in [first, second] {
      StudentRegister(context: stack.managedObjectContext).add(name: "Ada", age: 20, id: 1)
    }
    try first.saveContext()
    let error = try #require(throws: NSError.self) { try second.saveContext() }
    #expect(error.code == NSPersistentStoreSaveError)
    #expect(second.managedObjectContext.insertedObjects.count == 1)
    try first.close()
    try second.close()
  }

  @Test("Under the stack's own error lies Core Data's, and under that SQLite's")
  func levels() throws {
    try Data("no database".utf8).write(to: url)
    let stack = CoreDataStack(folder: folder.url)
    _ = stack.managedObjectContext
    let cocoa = try #require(stack.loadingFailure?.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(cocoa.code == CocoaError.fileReadCorruptFile.rawValue)
    #expect(cocoa.userInfo[NSFilePathErrorKey] as? String == url.path)
    let sqlite = try #require(cocoa.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(sqlite.domain == NSSQLiteErrorDomain)
    #expect(sqlite.code == 26)
  }

  @Test("At level 3 SQLDebug names a value for each question mark, in their order")
  func boundValues() throws {
    let outcome = try ProgramRunner.run("ManualStack", ["-com.apple.CoreData.SQLDebug", "3"], store: folder.url)
    let lines = outcome.errors.components(separatedBy: "\n")
    let update = try #require(lines.firstIndex { $0.contains("UPDATE OR FAIL ZSTUDENT SET") })
    #expect(
      lines[(update + 1)...(update + 4)].map { $0.replacing("CoreData: details: SQLite ", with: "") } == [
        "bind[0] = ZSTUDENTAGE = int(21)", "bind[1] = Z_OPT = 2", "bind[2] = Z_PK = 1", "bind[3] = Z_OPT = 1",
      ])
    for (place, line) in lines.enumerated() where line.contains("INSERT INTO ZSTUDENT") {
      let binds = lines[(place + 1)...].prefix { $0.contains("SQLite bind") }
      #expect(binds.count == line.count { $0 == "?" })
    }
  }

  @Test("A context whose coordinator has no store yet cannot fetch")
  func noStoreYet() throws {
    let model = try TwoStoreStack.model(named: "SingleViewCoreData")
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    #expect(throws: NSError.self) { try StudentRegister(context: context).all() }
  }
}
