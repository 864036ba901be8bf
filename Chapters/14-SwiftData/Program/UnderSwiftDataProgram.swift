import ArgumentParser
import ChapterSupport
import Foundation
import StoreFileReader
import SwiftData
import UnderSwiftDataChapter

@main
struct UnderSwiftDataProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "UnderSwiftData",
    abstract: "The students of chapter 1 as a @Model class: what the macro wrote, the model, and the file.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("expand"), help: "Print what the macro writes, by asking the program that writes it.")
  var showsExpansion = false

  @Flag(name: .customLong("hidden"), help: "Show what happens that you did not ask for.")
  var showsHidden = false

  @Flag(name: .customLong("ask"), help: "Ask questions by #Predicate.")
  var asks = false

  @Flag(name: .customLong("shared"), help: "Open one file with Core Data and with SwiftData.")
  var showsShared = false

  @Flag(name: .customLong("grow"), help: "Open a file with a class that has changed, without a plan and with one.")
  var growsClass = false

  @Flag(name: .customLong("break"), help: "Open chapter 1's file with a class that has one property more.")
  var breaksStore = false

  @Flag(name: .customLong("abandon"), help: .hidden)
  var abandonsModel = false

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether([
      "--expand": showsExpansion, "--hidden": showsHidden, "--ask": asks, "--shared": showsShared,
      "--grow": growsClass, "--break": breaksStore,
    ])
  }

  @MainActor func perform() async throws {
    if showsExpansion { return try showExpansion() }
    let folder = try store.openFolder(
      for: "UnderSwiftData", stores: [School.storeName, UnderSwiftDataProgram.chapterOneStore])
    if showsHidden { return try await showHidden(in: folder) }
    if asks { return try ask(in: folder) }
    if showsShared { return try showShared(in: folder) }
    if growsClass { return try showGrown(in: folder) }
    if abandonsModel { return try abandon(in: folder) }
    if breaksStore { return try showBroken(in: folder) }
    try students(in: folder)
    try compare(in: folder)
  }

  private func students(in folder: URL) throws {
    let url = folder.appendingPathComponent(School.storeName)
    let container = try School.open(at: url)
    let context = ModelContext(container)
    let school = School(context: context)
    let first = (try school.all().map(\.studentId).max() ?? 0) + 1

    Output.heading("Create")
    school.add(name: "Ada", age: 20, id: first)
    school.add(name: "Grace", age: 22, id: first + 1)
    school.add(name: "Barbara", age: 21, id: first + 2)
    try show("before save()", school, url)
    try context.save()
    try show("after save()", school, url)

    Output.heading("Read")
    Output.table(try school.all().map { ["\($0.studentId)", $0.studentName, "\($0.studentAge)"] })

    Output.heading("Update and delete")
    guard let ada = try school.student(withId: first), let grace = try school.student(withId: first + 1) else {
      throw ChapterFailure("The students that were just saved are gone from \(url.path).")
    }
    //> update
    ada.studentAge = 21
    ada.grades.append(Grade("Mathematics", points: 97))
    context.delete(grace)
    try context.save()
    //< update
    try show("after save()", school, url)
    let reader = try StoreFileReader(contentsOf: url)
    for table in ["ZSTUDENT", "ZGRADE"] {
      let columns = try reader.rows("SELECT name FROM pragma_table_info('\(table)')").map { $0[0].description }
      Output.line("\(table):")
      Output.table(
        ([columns] + (try reader.rows("SELECT * FROM \(table) ORDER BY 1")).map { $0.map(\.description) })
          .map { ["  " + $0[0]] + $0.dropFirst() })
    }
  }

  func show(_ when: String, _ school: School, _ url: URL) throws {
    let inContext = Output.count(try school.all().count, "student")
    let inFile = Output.count(try StoreFileReader(contentsOf: url).rowCount(of: "ZSTUDENT"), "row")
    Output.line("\(when): \(inContext) in the context, \(inFile) in the file")
  }
}
