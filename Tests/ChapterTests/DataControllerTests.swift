import CoreData
import Foundation
import StoreFileReader
import Testing

@testable import DataControllerChapter

@Suite("Chapter 5: the data controller", .serialized)
@MainActor
struct DataControllerTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appendingPathComponent(DataController.storeName)
  }

  private func outcomeOfLoading(modelName: String = "DataModel") -> DataControllerFailure? {
    var outcome: Result<Void, DataControllerFailure>?
    _ = DataController(at: url, modelName: modelName) { outcome = $0 }
    if case .failure(let failure) = outcome { return failure }
    return nil
  }

  @Test("Synchronous loading calls back once, before the initializer returns, on the caller's thread")
  func synchronous() throws {
    var calls: [Thread] = []
    let controller = DataController(at: url) { _ in calls.append(.current) }
    #expect(calls == [Thread.current])
    try controller.close()
  }

  @Test("Asynchronous loading calls back once, off the main queue")
  func asynchronous() async throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    var made: DataController?
    let onMain = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      made = DataController(at: url, loading: .asynchronous) { _ in
        continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
      }
    }
    #expect(!onMain)
    try made?.close()
  }

  @Test("With await the controller comes back ready to save")
  func awaiting() async throws {
    let controller = try await DataController.load(at: url)
    let context = try #require(controller.viewContext)
    let employee = Employee(context: context)
    employee.name = "Ada"
    employee.badge = 7
    #expect(employee.label == "7 Ada")
    try context.save()
    #expect(
      try StoreFileReader(contentsOf: url).rows("SELECT ZNAME, ZBADGE FROM ZEMPLOYEE") == [
        [.text("Ada"), .integer(7)]
      ])
    try controller.close()
  }

  @Test("A missing model is told to a person, and there is no container")
  func missingModel() {
    guard case .modelMissing(let name) = outcomeOfLoading(modelName: "NoSuchModel") else {
      Issue.record("The controller found a model that does not exist.")
      return
    }
    #expect(name == "NoSuchModel")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("A text in the store's place is told to a person as another program's file, and left as it was")
  func unreadable() throws {
    let text = String(repeating: "Meeting at ten. ", count: 80)
    try Data(text.utf8).write(to: url)
    let failure = try #require(outcomeOfLoading())
    guard case .storeForeign = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(failure.message.contains(url.path))
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test("A store of another model is told to a person, and left as it was")
  func mismatch() throws {
    try StoreOfAnotherModel.make(at: url)
    let before = try Data(contentsOf: url)
    let failure = try #require(outcomeOfLoading())
    guard case .modelMismatch(_, let underlying) = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(underlying.code == 134100)
    #expect(failure.message.contains(url.path))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A store that lost its end is told as damaged, and left as it was")
  func damaged() throws {
    try StoreOfAnotherModel.make(at: url)
    let file = try FileHandle(forUpdating: url)
    try file.truncate(atOffset: 5000)
    try file.close()
    let before = try Data(contentsOf: url)
    let failure = try #require(outcomeOfLoading())
    guard case .storeDamaged = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(failure.message.contains("put back your last copy"))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A folder in the store's place is told as another program's")
  func folderInPlace() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    guard case .storeForeign = try #require(outcomeOfLoading()) else {
      Issue.record("Reported otherwise.")
      return
    }
  }

  @Test(
    "What stands between a program and sound data is told with what to do, and never to move the data away",
    arguments: [
      (134090, 5, .lock, "Close that program"), (256, 5, .lock, "Close that program"),
      (256, 8, .writeProtection, "Make the file and its folder writable"),
      (642, nil, .writeProtection, "Make the file and its folder writable"),
      (256, 13, .fullDisk, "Free some space"), (640, nil, .fullDisk, "Free some space"),
      (257, nil, .permission, "Ask for permission"), (513, nil, .permission, "Ask for permission"),
      (256, 3, .permission, "Ask for permission"), (256, 14, .unknown, "Try again"), (134060, nil, .unknown, "Try again"),
    ] as [(Int, Int?, DataControllerFailure.Obstacle, String)])
  func obstacles(code: Int, sqlite: Int?, expected: DataControllerFailure.Obstacle, advice: String) throws {
    try Data().write(to: url)
    let error = NSError(
      domain: NSCocoaErrorDomain, code: code, userInfo: sqlite.map { [NSSQLiteErrorDomain: $0] } ?? [:])
    let failure = DataControllerFailure(opening: url, error: error)
    guard case .storeUnavailable(_, let obstacle, let underlying) = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(obstacle == expected)
    #expect(underlying == error)
    #expect(failure.message.contains(advice))
    #expect(!failure.message.lowercased().contains("move"))
  }

  @Test("A locked store is told as locked, with the data safe")
  func locked() throws {
    let model = NSPersistentContainer(name: "DataModel").managedObjectModel
    let holder = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try holder.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["locking_mode": "EXCLUSIVE"]])
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = holder
    // From its first write on it lets nobody else in.
    Employee(context: context).name = "Ada"
    try context.save()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: url)
    description.timeout = 0.1
    var failure: DataControllerFailure?
    coordinator.addPersistentStore(with: description) { _, error in
      failure = error.map { DataControllerFailure(opening: url, error: $0) }
    }
    context.reset()
    try holder.remove(store)
    guard case .storeUnavailable(_, .lock, _) = try #require(failure) else {
      Issue.record("Reported as \(failure!).")
      return
    }
  }

  @Test("The short form calls back once, on the main queue, when the property is assigned", arguments: [true, false])
  func shortForm(succeeds: Bool) async throws {
    if !succeeds { try Data("no store".utf8).write(to: url) }
    var controller: DataController?
    var calls: [(isAssigned: Bool, isMain: Bool, hasSucceeded: Bool)] = []
    await withCheckedContinuation { continuation in
      controller = DataController(in: folder.url) { result in
        calls.append((controller != nil, Thread.isMainThread, (try? result.get()) != nil))
        continuation.resume()
      }
      #expect(calls.isEmpty)
    }
    // A second call would have come by now.
    await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
    #expect(calls.count == 1)
    #expect(calls.first?.isAssigned == true)
    #expect(calls.first?.hasSucceeded == succeeds)
    try controller?.close()
  }

  @Test("With await a failure is thrown")
  func awaitingFailure() async throws {
    try Data(String(repeating: "no store ", count: 80).utf8).write(to: url)
    await #expect(throws: DataControllerFailure.self) { _ = try await DataController.load(at: url) }
  }

  @Test("A context whose store is not there yet neither fetches nor saves, and says so")
  func tooEarly() throws {
    let container = NSPersistentContainer(name: "DataModel")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    let context = container.viewContext
    #expect(throws: (any Error).self) { try context.fetch(NSFetchRequest<Employee>(entityName: "Employee")) }
    Employee(context: context).name = "Alan"
    #expect(throws: (any Error).self) { try context.save() }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("The error of a store of another model holds the store's hashes")
  func hashes() throws {
    try StoreOfAnotherModel.make(at: url)
    let underlying = try #require(outcomeOfLoading()?.underlying)
    let metadata = try #require(underlying.userInfo["metadata"] as? [String: Any])
    let stored = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    let model = NSPersistentContainer(name: "DataModel").managedObjectModel
    #expect(Array(stored.keys) == ["Employee"])
    #expect(stored["Employee"] != model.entityVersionHashesByName["Employee"])
  }

  @Test("The program says that the stack is initialized, and where each callback comes")
  func program() throws {
    let outcome = try ProgramRunner.run("DataController", [], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("Core Data stack has been initialized."))
    #expect(outcome.output.contains("callback on the main queue, the property is assigned: true"))
    #expect(outcome.output.contains("callback on the main queue, initializer has returned: false"))
    #expect(outcome.output.contains("callback on a background queue"))
    #expect(outcome.output.contains("a fifth of a second later the block has run: false"))
    #expect(outcome.output.contains("waits no more; the block has run: true"))
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE") == 3)
  }

  @Test(
    "Each failure ends the program with its message",
    arguments: [
      ("model", "Install it again"), ("file", "was not made by this program"),
      ("foreign", "was not made by this program"), ("damaged", "put back your last copy"),
      ("mismatch", "Open them with that version"),
    ])
  func programFailures(fault: String, words: String) throws {
    let outcome = try ProgramRunner.run("DataController", ["--break", fault], store: folder.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: "))
    #expect(outcome.errors.contains(words))
  }
}
