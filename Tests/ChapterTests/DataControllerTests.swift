import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import DataControllerChapter

@Suite("Chapter 5: the data controller", .serialized)
@MainActor
struct DataControllerTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent(DataController.storeName)
  }

  private func outcomeOfLoading(modelName: String = "DataModel") async -> DataControllerFailure? {
    var controller: DataController?
    let outcome = await withCheckedContinuation { called in
      controller = DataController(at: url, modelName: modelName) { called.resume(returning: $0) }
    }
    try? controller?.close()
    if case .failure(let failure) = outcome { return failure }
    return nil
  }

  /// How a controller is made, and whether that should work.
  enum Start: CaseIterable {
    case newFile, noModel, foreignFile
  }

  @Test(
    "The initializer calls back exactly once, on the main queue, after it has returned, in success and in failure",
    arguments: Start.allCases)
  func callback(start: Start) async throws {
    if start == .foreignFile { try Data("no store".utf8).write(to: url) }
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    var controller: DataController?
    var hasReturned = false
    var calls: [(hasReturned: Bool, isAssigned: Bool, isMain: Bool, hasSucceeded: Bool)] = []
    await withCheckedContinuation { continuation in
      controller = DataController(at: url, modelName: start == .noModel ? "NoSuchModel" : "DataModel") { result in
        let isMain = DispatchQueue.getSpecific(key: key) == true
        calls.append((hasReturned, controller != nil, isMain, (try? result.get()) != nil))
        if calls.count == 1 { continuation.resume() }
      }
      // Long enough for any store to be opened in the background.
      Thread.sleep(forTimeInterval: 0.1)
      hasReturned = true
      #expect(calls.isEmpty)
    }
    // A second call would have come by then.
    for _ in 0..<3 {
      await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
      try await Task.sleep(nanoseconds: 20_000_000)
    }
    #expect(calls.count == 1)
    let call = try #require(calls.first)
    #expect(call.hasReturned)
    #expect(call.isAssigned)
    #expect(call.isMain)
    #expect(call.hasSucceeded == (start == .newFile))
    #expect((controller?.viewContext == nil) == (start == .noModel))
    try controller?.close()
  }

  @Test("All arguments but the completion may be left out")
  func completionAlone() {
    let make: @MainActor (@escaping @MainActor (Result<Void, DataControllerFailure>) -> Void) -> DataController = {
      DataController(completion: $0)
    }
    _ = make
  }

  @Test("A controller that calls back from the container's handler does it before its initializer returns")
  func early() throws {
    var controller: EarlyController?
    var wasAssigned: [Bool] = []
    controller = EarlyController(at: url) { wasAssigned.append(controller != nil) }
    #expect(wasAssigned == [false])
    try controller?.close()
  }

  @Test("Waiting gives a controller whose store is open")
  func waiting() throws {
    let controller = try DataController(waitingAt: url)
    #expect(controller.persistentContainer?.persistentStoreCoordinator.persistentStores.count == 1)
    try controller.close()
  }

  @Test("Waiting throws the same failures")
  func waitingFailure() throws {
    #expect(throws: DataControllerFailure.self) { _ = try DataController(waitingAt: url, modelName: "NoSuchModel") }
    try Data(String(repeating: "no store ", count: 80).utf8).write(to: url)
    #expect(throws: DataControllerFailure.self) { _ = try DataController(waitingAt: url) }
  }

  @Test("Asynchronous loading calls back once, off the main queue")
  func asynchronous() async throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let container = NSPersistentContainer(name: "DataModel")
    let description = NSPersistentStoreDescription(url: url)
    description.shouldAddStoreAsynchronously = true
    container.persistentStoreDescriptions = [description]
    let onMain = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      container.loadPersistentStores { _, _ in
        continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
      }
    }
    #expect(!onMain)
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
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

  @Test("A missing model is reported, and there is no container")
  func missingModel() async throws {
    guard case .modelMissing(let name) = await outcomeOfLoading(modelName: "NoSuchModel") else {
      Issue.record("The controller found a model that does not exist.")
      return
    }
    #expect(name == "NoSuchModel")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("A text in the store's place is told to a person as another program's file, and left as it was")
  func unreadable() async throws {
    let text = String(repeating: "Meeting at ten. ", count: 80)
    try Data(text.utf8).write(to: url)
    let failure = try #require(await outcomeOfLoading())
    guard case .storeForeign = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(failure.message.contains(url.path))
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test("A store of another model is told to a person, and left as it was")
  func mismatch() async throws {
    try StoreOfAnotherModel.make(at: url)
    let before = try Data(contentsOf: url)
    let failure = try #require(await outcomeOfLoading())
    guard case .modelMismatch(_, let underlying) = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(underlying.code == 134100)
    #expect(failure.message.contains(url.path))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A store that lost its end is told as damaged, and left as it was")
  func damaged() async throws {
    try StoreOfAnotherModel.make(at: url)
    let file = try FileHandle(forUpdating: url)
    try file.truncate(atOffset: 5000)
    try file.close()
    let before = try Data(contentsOf: url)
    let failure = try #require(await outcomeOfLoading())
    guard case .storeDamaged = failure else {
      Issue.record("Reported as \(failure).")
      return
    }
    #expect(failure.message.contains("restore your last copy"))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A folder in the store's place is told as another program's")
  func folderInPlace() async throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    guard case .storeForeign = try #require(await outcomeOfLoading()) else {
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
      (256, 3, .permission, "Ask for permission"), (256, 14, .unknown, "Try again"),
      (134060, nil, .unknown, "Try again"),
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
  func hashes() async throws {
    try StoreOfAnotherModel.make(at: url)
    let underlying = try #require(await outcomeOfLoading()?.underlying)
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
    let words = outcome.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let returned = try #require(words.firstIndex(of: "the initializer has returned"))
    let called = try #require(words.firstIndex(of: "called back on the main queue"))
    #expect(returned < called)
    #expect(words.contains("the property controller is set"))
    #expect(words.contains("the property controller is nil"))
    #expect(outcome.output.contains("the store is open; the callback has come: false"))
    #expect(outcome.output.contains("the main thread is free; the callback has come: true"))
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZEMPLOYEE") == 3)
  }

  @Test(
    "Each failure ends the program with its message",
    arguments: [
      ("model", "Install it again"), ("file", "was not made by this program"),
      ("foreign", "was not made by this program"), ("damaged", "restore your last copy"),
      ("mismatch", "Open them with that version"),
    ])
  func programFailures(fault: String, words: String) throws {
    let outcome = try ProgramRunner.run("DataController", ["--break", fault], store: folder.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: "))
    #expect(outcome.errors.contains(words))
  }
}
