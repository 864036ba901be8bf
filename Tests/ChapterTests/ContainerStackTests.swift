import ContainerStackChapter
import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 4: the container", .serialized)
@MainActor
struct ContainerStackTests {
  let folder: TemporaryFolder
  let stack: NotesStack
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    stack = NotesStack(folder: folder.url)
    url = folder.url.appendingPathComponent(NotesStack.storeName)
    _ = stack.viewContext
    if let failure = stack.loadingFailure { throw failure }
  }

  private func rows() throws -> Int { try StoreFileReader(contentsOf: url).rowCount(of: "ZNOTE") }

  @Test("saveContext() says whether there was anything to save")
  func save() throws {
    NoteBook(context: stack.viewContext).add(title: "Milk", position: 1)
    #expect(try rows() == 0)
    #expect(try stack.saveContext())
    #expect(try rows() == 1)
    #expect(try !stack.saveContext())
    try stack.close()
  }

  @Test("Asking after the save says no when it went well and yes when it failed")
  func backwards() throws {
    let note = NoteBook(context: stack.viewContext).add(title: "Milk", position: 1)
    #expect(stack.saveContextBackwards() == false)
    #expect(try rows() == 1)
    note.title = nil
    #expect(stack.saveContextBackwards() == true)
    #expect(try StoreFileReader(contentsOf: url).rows("SELECT ZTITLE FROM ZNOTE") == [[.text("Milk")]])
    stack.viewContext.rollback()
    try stack.close()
  }

  @Test("A failed save throws the property's name and keeps the note in the context")
  func invalid() throws {
    NoteBook(context: stack.viewContext).add(title: nil, position: 1)
    let error = try #require(throws: NSError.self) { try stack.saveContext() }
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == 1570)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "title")
    #expect(stack.viewContext.insertedObjects.count == 1)
    #expect(try rows() == 0)
    stack.viewContext.rollback()
    try stack.close()
  }

  @Test("What a background context saves appears in an object of the view context", arguments: [true, false])
  func merging(merges: Bool) async throws {
    let book = NoteBook(context: stack.viewContext)
    let note = book.add(title: "Milk", position: 1)
    try stack.saveContext()
    #expect(note.title == "Milk")
    stack.viewContext.automaticallyMergesChangesFromParent = merges
    try await stack.performInBackground { context in
      try NoteBook(context: context).note(at: 1)?.title = "Oat milk"
    }
    await stack.viewContext.perform(schedule: .enqueued) {}
    #expect(note.title == (merges ? "Oat milk" : "Milk"))
    #expect(try StoreFileReader(contentsOf: url).rows("SELECT ZTITLE FROM ZNOTE") == [[.text("Oat milk")]])
    try stack.close()
  }

  @Test("An observer of a note's title hears of each assignment, of a rollback, and of no other property")
  func observing() throws {
    let note = NoteBook(context: stack.viewContext).add(title: "Milk", position: 1)
    try stack.saveContext()
    #expect(note.title == "Milk")
    //> observe
    var heard: [String] = []
    let observation = note.observe(\.title) { note, _ in heard.append(note.title ?? "none") }
    note.title = "Oat milk"
    note.setValue("Soy milk", forKey: "title")
    note.body = "Two litres"
    stack.viewContext.rollback()
    #expect(heard == ["Oat milk", "Soy milk", "Milk"])
    observation.invalidate()
    //< observe
    note.title = "Cream"
    #expect(heard.count == 3)
    stack.viewContext.rollback()
    try stack.close()
  }

  @Test("A merge brings new values under unsaved ones; without it the save is a conflict", arguments: [true, false])
  func mergingUnderChanges(merges: Bool) async throws {
    let note = NoteBook(context: stack.viewContext).add(title: "Milk", position: 1)
    try stack.saveContext()
    stack.viewContext.automaticallyMergesChangesFromParent = merges
    note.body = "Two litres"
    try await stack.performInBackground { context in
      try NoteBook(context: context).note(at: 1)?.title = "Oat milk"
    }
    await stack.viewContext.perform(schedule: .enqueued) {}
    #expect(note.title == (merges ? "Oat milk" : "Milk"))
    #expect(note.body == "Two litres")
    if merges {
      try stack.saveContext()
    } else {
      let error = try #require(throws: NSError.self) { try stack.saveContext() }
      #expect(error.code == NSManagedObjectMergeError)
      stack.viewContext.rollback()
    }
    let values = try StoreFileReader(contentsOf: url).rows("SELECT ZTITLE, ZBODY FROM ZNOTE")
    #expect(values == [[.text("Oat milk"), merges ? .text("Two litres") : .null]])
    try stack.close()
  }

  @Test(
    "Refreshing an object reads its row again",
    .enabled(
      if: ProcessInfo.processInfo.environment["COREDATA_STRESS"] == nil,
      "It is about a row that is kept, which COREDATA_STRESS forbids."))
  func refreshing() async throws {
    stack.viewContext.automaticallyMergesChangesFromParent = false
    let note = NoteBook(context: stack.viewContext).add(title: "Milk", position: 1)
    try stack.saveContext()
    try await stack.performInBackground { try NoteBook(context: $0).note(at: 1)?.title = "Oat milk" }
    #expect(note.title == "Milk")
    stack.viewContext.refresh(note, mergeChanges: true)
    #expect(note.title == "Oat milk")
    try stack.close()
  }

  @Test("A background task saves only if its block does")
  func forgotten() async throws {
    await stack.persistentContainer.performBackgroundTask { context in
      _ = NoteBook(context: context).add(title: "Forgotten", position: 1)
    }
    #expect(try rows() == 0)
    try stack.close()
  }

  @Test("A saved object's id is permanent, and another context finds its object by it")
  func ids() async throws {
    let (early, id) = try await stack.performInBackground { context in
      let note = NoteBook(context: context).add(title: "Coffee", position: 1)
      let early = note.objectID
      try context.save()
      return (early, note.objectID)
    }
    #expect(early.isTemporaryID)
    #expect(!id.isTemporaryID)
    #expect((try stack.viewContext.existingObject(with: id) as? Note)?.title == "Coffee")
    try stack.close()
  }

  @Test("The handler is called for each description, and one's failure leaves the others loaded")
  func handler() throws {
    let container = NSPersistentContainer(
      name: "Other", managedObjectModel: stack.persistentContainer.managedObjectModel)
    let memory = NSPersistentStoreDescription()
    memory.type = NSInMemoryStoreType
    let nowhere = URL(fileURLWithPath: "/dev/null/Notes.sqlite")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: nowhere), memory]
    var codes: [Int?] = []
    container.loadPersistentStores { _, error in codes.append(error.map { ($0 as NSError).code }) }
    #expect(codes == [CocoaError.fileWriteUnknown.rawValue, nil])
    #expect(container.persistentStoreCoordinator.persistentStores.map(\.type) == [NSInMemoryStoreType])
    try stack.close()
  }

  @Test("The program leaves the rows that it says it leaves")
  func program() throws {
    try stack.close()
    let outcome = try ProgramRunner.run("ContainerStack", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try rows() == outcome.number(after: "the closed file holds"))
    #expect(try rows() == 6)
  }
}
