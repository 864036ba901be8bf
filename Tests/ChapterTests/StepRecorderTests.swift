import CoreData
import Foundation
import ObjectGraphChapter
import StepFrames
import StepRecorder
import TestFiles
import Testing

@Suite("Recording a program for a stepper", .serialized)
@MainActor
struct StepRecorderTests {
  let folder: TemporaryFolder
  let stack: ObjectGraphStack
  private let lines = Lines()

  private final class Lines {
    var all: [String] = []
  }

  init() throws {
    folder = TemporaryFolder()
    stack = try ObjectGraphStack(folder: folder.url)
  }

  private func recorder() throws -> StepRecorder {
    try StepRecorder(
      "A test", contexts: ["context": stack.context],
      objects: ["Author": "name, books", "Book": "title, year, author"],
      file: folder.url.appendingPathComponent(ObjectGraphStack.storeName), tables: ["ZBOOK": "Z_PK, ZTITLE, ZAUTHOR"],
      print: { [lines] in lines.all.append($0) })
  }

  private func lastFrame() throws -> StepFrame {
    try JSONDecoder().decode(StepFrame.self, from: Data(try #require(lines.all.last).utf8))
  }

  private func lastObjects() throws -> [StepFrame.Object] { try #require(try lastFrame().contexts.first).objects }

  @Test("A recording begins with its title, and each frame is one line")
  func heading() throws {
    let steps = try recorder()
    try steps.frame("Nothing yet.")
    #expect(lines.all.first == #"{"recording":"A test"}"#)
    #expect(lines.all.count == 2)
    #expect(lines.all.allSatisfy { !$0.contains("\n") })
    #expect(
      try lastFrame()
        == StepFrame(
          caption: "Nothing yet.", contexts: [.init(name: "context", objects: [])],
          tables: [.init(name: "ZBOOK", columns: ["Z_PK", "ZTITLE", "ZAUTHOR"], rows: [])]))
  }

  @Test("New objects stand in the order of their making, with names for where they lead")
  func inserted() throws {
    let steps = try recorder()
    let library = Library(context: stack.context)
    let lem = library.author("Lem")
    let books = [library.book("Solaris", 1961, pages: 204, by: lem), library.book("Fiasco", 1986, pages: 322, by: lem)]
    try steps.frame("Made.")
    let objects = try lastObjects()
    #expect(objects.map(\.name) == ["Lem", "Solaris", "Fiasco"])
    #expect(objects.allSatisfy { $0.state == .inserted && $0.row == nil })
    #expect(objects[0].values.map(\.text) == ["Lem", "Fiasco, Solaris"])
    #expect(objects[1].values.map(\.text) == ["Solaris", "1961", "Lem"])
    #expect(objects[1].values[2].destinations == ["Author/new Lem"])
    withExtendedLifetime(books) {}
  }

  @Test("A save gives rows; a change marks its object and its key; a deletion stays until the next save")
  func states() throws {
    let steps = try recorder()
    let library = Library(context: stack.context)
    let book = library.book("Solaris", 1961, pages: 204)
    try stack.context.save()
    // Under COREDATA_STRESS a save makes faults.
    #expect(book.year == 1961)
    try steps.frame("Saved.")
    #expect(try lastObjects().map(\.state) == [.clean])
    #expect(try lastObjects()[0].row == 1)
    #expect(try lastFrame().tables[0].rows == [["1", "Solaris", "NULL"]])
    book.year = 1962
    try steps.frame("Changed.")
    #expect(try lastObjects().map(\.state) == [.updated])
    #expect(try lastObjects()[0].values.filter(\.isChanged).map(\.key) == ["year"])
    stack.context.delete(book)
    try steps.frame("Deleted.")
    #expect(try lastObjects().map(\.state) == [.deleted])
    #expect(try lastFrame().tables[0].rows.count == 1)
    try stack.context.save()
    try steps.frame("Saved.")
    #expect(try lastObjects() == [])
    #expect(try lastFrame().tables[0].rows == [])
  }

  @Test("Looking fires no fault and reads no set")
  func faults() throws {
    let library = Library(context: stack.context)
    let made = library.author("Lem")
    library.book("Solaris", 1961, pages: 204, by: made)
    try stack.context.save()
    stack.context.reset()
    let steps = try recorder()
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    let solaris = try #require(try stack.context.fetch(request).first)
    #expect(solaris.year == 1961)
    try steps.frame("Fetched.")
    let objects = try lastObjects()
    #expect(objects.map(\.state) == [.fault, .clean])
    #expect(objects[0].name == nil && objects[0].row == 1 && objects[0].values == [])
    #expect(objects[1].values[2].text == "row 1")
    #expect(solaris.author?.isFault == true)

    let lem = try #require(solaris.author)
    #expect(lem.name == "Lem")
    try steps.frame("Read.")
    #expect(try lastObjects()[0].values.map(\.text) == ["Lem", "not read"])
    #expect(lem.hasFault(forRelationshipNamed: "books"))
    stack.context.refresh(lem, mergeChanges: false)
    try steps.frame("A fault again.")
    // Its name is known from before.
    #expect(try lastObjects()[0].state == .fault)
    #expect(try lastObjects()[0].name == "Lem")
    #expect(lem.isFault)
  }

  @Test(
    "Each chapter's recording runs, and says the same twice",
    arguments: [
      ("ManualStack", "save"), ("ObjectGraph", "inverse"), ("ObjectGraph", "fault"), ("ContainerStack", "merge"),
      ("EnqueueWriter", "lost"), ("UnsavedChanges", "conflict"), ("Batches", "below"), ("InsideTheFile", "row"),
    ])
  func programs(program: String, name: String) throws {
    let outputs = try (0..<2).map { _ in
      let outcome = try ProgramRunner.run(program, ["--fresh", "--steps", name], store: folder.url)
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      return outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }
    }
    #expect(outputs[0].count >= 4)
    #expect(outputs[0] == outputs[1])
  }
}
