import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader

@main
struct ManualStackProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ManualStack",
    abstract: "The stack by hand: model, coordinator, store and context, and what reaches the file when.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Put a text file in the store's place first, and read the error.")
  var breaksStore = false

  @Flag(name: .customLong("callback"), help: "Add the store in the background, and wait for the callback.")
  var waitsForCallback = false

  @Flag(name: .customLong("types"), help: "Run over the four types of stores, and look at each one's file.")
  var showsTypes = false

  @Flag(name: .customLong("two-stores"), help: "Merge two models, and keep their objects in two files.")
  var showsTwoStores = false

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: save.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether([
      "--callback": waitsForCallback, "--types": showsTypes, "--two-stores": showsTwoStores, "--break": breaksStore,
      "--steps": recording != nil,
    ])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ManualStack", stores: [CoreDataStack.storeName])
    if recording != nil { return try recordSaves(in: folder) }
    if showsTypes { return try showStoreTypes(in: folder) }
    if showsTwoStores { return try showTwoStores(in: folder) }
    if breaksStore { return try showBrokenStore(in: folder) }
    if waitsForCallback { return try await showCallback(in: folder) }
    try manualStack(in: folder)
  }

  @MainActor private func manualStack(in folder: URL) throws {
    let stack = CoreDataStack(folder: folder)
    let file = StudentFile(url: folder.appendingPathComponent(CoreDataStack.storeName))

    Output.heading("Four properties, each made when first asked for")
    Output.line("made at the start:  \(list(stack.made))")
    let register = StudentRegister(context: stack.managedObjectContext)
    if let failure = stack.loadingFailure { throw failure }
    Output.line("after the context:  \(list(stack.made))")
    Output.line("tables in the file: \(try file.reader().tables().joined(separator: ", "))")
    let first = (try register.all().map(\.studentId).max() ?? 0) + 1

    //> before-save
    Output.heading("Create")
    register.add(name: "Ada", age: 20, id: first)
    register.add(name: "Grace", age: 22, id: first + 1)
    register.add(name: "Barbara", age: 21, id: first + 2)
    try show("before save()", register, file)
    try stack.saveContext()
    try show("after save()", register, file)
    //< before-save

    Output.heading("Read")
    Output.table(
      try register.all().map { ["\($0.studentId)", $0.studentName ?? "no name", "\($0.studentAge)"] })

    Output.heading("Update")
    guard let ada = try register.student(withId: first) else {
      throw ChapterFailure("The student \(first) is gone from \(file.url.path).")
    }
    //> update
    ada.studentAge = 21
    Output.line(
      "before save(): age in the context \(ada.studentAge), in the file \(try file.age(of: first))")
    try stack.saveContext()
    Output.line(
      "after save():  age in the context \(ada.studentAge), in the file \(try file.age(of: first))")
    //< update

    Output.heading("Delete")
    if let grace = try register.student(withId: first + 1) { register.remove(grace) }
    try show("before save()", register, file)
    try stack.saveContext()
    try show("after save()", register, file)
    try showFile(stack, file)
  }

  @MainActor private func show(_ when: String, _ register: StudentRegister, _ file: StudentFile) throws {
    let inContext = Output.count(try register.all().count, "student")
    let inFile = Output.count(try file.reader().rowCount(of: "ZSTUDENT"), "row")
    Output.line("\(when): \(inContext) in the context, \(inFile) in the file")
  }

  private func list(_ names: [String]) -> String {
    names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}
