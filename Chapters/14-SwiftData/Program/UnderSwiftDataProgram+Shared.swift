import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader
import SwiftData
import UnderSwiftDataChapter

/// `--shared` and `--break`: chapter 1's file, opened by both frameworks.
extension UnderSwiftDataProgram {
  func showShared(in folder: URL) throws {
    let url = folder.appendingPathComponent(Self.chapterOneStore)
    Output.heading("Core Data makes the file")
    try makeChapterOneFile(in: folder, students: [("Ada", 20), ("Grace", 22)])
    try showRows(url)

    Output.heading("SwiftData opens it")
    //> opens
    let container = try ModelContainer(
      for: ChapterOne.Student.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.author = "SwiftData"
    context.insert(ChapterOne.Student(name: "Barbara", age: 21, id: 3))
    for student in try context.fetch(FetchDescriptor<ChapterOne.Student>()) {
      student.studentAge = (student.studentAge ?? 0) + 1
    }
    try context.save()
    //< opens
    try showRows(url)

    Output.heading("Both have it open")
    let stack = try bothOpen(url)
    let background = stack.newBackgroundContext()
    background.transactionAuthor = "Core Data"
    try background.performAndWait {
      let answer = try AverageAge.fetch(in: background)
      Output.line("average age, worked out by SQLite: \(answer)")

      let all: NSFetchRequest<ManualStackChapter.Student> = ManualStackChapter.Student.fetchRequest()
      all.predicate = NSPredicate(format: "studentName == %@", "Grace")
      try background.fetch(all).first?.studentName = "Grace Hopper"
      try background.save()
    }
    let again = ModelContext(container)
    let names = try again.fetch(FetchDescriptor<ChapterOne.Student>(sortBy: [SortDescriptor(\.studentId)]))
      .map { $0.studentName ?? "none" }
    Output.line("SwiftData reads: \(names.joined(separator: ", "))")
  }

  private func bothOpen(_ url: URL) throws -> NSPersistentContainer {
    //> container
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.shouldMigrateStoreAutomatically = false
    let model = CoreDataStack().managedObjectModel
    let stack = NSPersistentContainer(name: "Students", managedObjectModel: model)
    stack.persistentStoreDescriptions = [description]
    //< container
    nonisolated(unsafe) var failure: (any Error)?
    stack.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return stack
  }

  private func showRows(_ url: URL) throws {
    let rows = try StoreFileReader(contentsOf: url)
      .rows("SELECT Z_PK, Z_OPT, ZSTUDENTNAME, ZSTUDENTAGE FROM ZSTUDENT ORDER BY 1")
    Output.table([["Z_PK", "Z_OPT", "ZSTUDENTNAME", "ZSTUDENTAGE"]] + rows.map { $0.map(\.description) })
  }

  func showBroken(in folder: URL) throws {
    let url = folder.appendingPathComponent(Self.chapterOneStore)
    Output.heading("One property more")
    try makeChapterOneFile(in: folder, students: [("Ada", 20), ("Grace", 22)])
    //> grows
    let container = try ModelContainer(
      for: NextYear.Student.self, configurations: ModelConfiguration(url: url))
    //< grows
    let count = try ModelContext(container).fetchCount(FetchDescriptor<NextYear.Student>())
    Output.line("the container opens it: \(Output.count(count, "student")), and no question asked")
    let columns = try StoreFileReader(contentsOf: url).rows("SELECT name FROM pragma_table_info('ZSTUDENT')")
    Output.line("columns: \(columns.dropFirst(3).map { $0[0].description }.joined(separator: ", "))")

    Output.heading("Chapter 1's program, the next morning")
    let stack = CoreDataStack(folder: folder)
    _ = stack.managedObjectContext
    guard let failure = stack.loadingFailure else {
      throw ChapterFailure("Chapter 1's stack has opened \(url.path), though it is of another model.")
    }
    Output.line(failure.localizedDescription)
    if let cause = failure.userInfo[NSUnderlyingErrorKey] as? NSError {
      Output.line("\(cause.domain) \(cause.code)")
      Output.line("  \(cause.localizedDescription)")
    }

    Output.heading("A model that has outlived its context")
    try showAbandoned(in: folder)
  }

  /// What follows ends a program, so it happens in another one, and this one shows what that says.
  private func showAbandoned(in folder: URL) throws {
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["--store", folder.path, "--abandon"]
    child.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let errors = Pipe()
    (child.standardOutput, child.standardError) = (FileHandle.nullDevice, errors)
    try child.run()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    child.waitUntilExit()
    guard child.terminationReason == .uncaughtSignal else {
      throw ChapterFailure("The program that uses a model without its context was not stopped. It said: \(text)")
    }
    // The first line names the file that stops the program, the last ones the machine's state.
    let report = text.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("Current stack trace") }
    for line in report { Output.line(String(line)) }
  }

  /// `--abandon`, for the program above.
  func abandon(in folder: URL) throws {
    let container = try School.open(at: folder.appendingPathComponent(School.storeName))
    //> abandoned
    func add(_ name: String) throws -> UnderSwiftDataChapter.Student {
      let context = ModelContext(container)
      let student = School(context: context).add(name: name, age: 21, id: 3)
      try context.save()
      return student
    }
    let barbara = try add("Barbara")
    print(barbara.studentName)
    barbara.studentAge = 22
    //< abandoned
  }
}
