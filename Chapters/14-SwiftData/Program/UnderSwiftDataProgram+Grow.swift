import ChapterSupport
import Foundation
import StoreFileReader
import SwiftData
import UnderSwiftDataChapter

/// `--grow`: a file of the first year, opened with the class of the second.
extension UnderSwiftDataProgram {
  func showGrown(in folder: URL) throws {
    let url = folder.appendingPathComponent(Self.chapterOneStore)
    Output.heading("The first year")
    try makeFirstYear(at: url)
    try showNames(url, column: "ZSTUDENTNAME")

    Output.heading("A year later, without a plan")
    do {
      //> without-plan
      _ = try ModelContainer(
        for: SecondYear.Student.self, configurations: ModelConfiguration(url: url))
      //< without-plan
      throw ChapterFailure("The container has opened \(url.path), where two students have one number.")
    } catch let error as SwiftDataError {
      guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError else { throw error }
      Output.line("\(cause.code): \(cause.localizedDescription)")
    }

    Output.heading("With a plan")
    //> with-plan
    let container = try ModelContainer(
      for: SecondYear.Student.self, migrationPlan: StudentPlan.self,
      configurations: ModelConfiguration(url: url))
    //< with-plan
    let count = try ModelContext(container).fetchCount(FetchDescriptor<SecondYear.Student>())
    Output.line("the container opens it: \(Output.count(count, "student"))")
    try showNames(url, column: "ZNAME")
  }

  /// Three rows of the class that is chapter 1's entity. Grace was entered twice.
  private func makeFirstYear(at url: URL) throws {
    let container = try ModelContainer(
      for: ChapterOne.Student.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let students: [(name: String, age: Int16, id: Int16)] = [("Ada", 20, 1), ("Grace", 22, 2), ("Grace", 22, 2)]
    for student in students {
      context.insert(ChapterOne.Student(name: student.name, age: student.age, id: student.id))
      // One at a time, so that the keys in the file are in this order on every run.
      try context.save()
    }
  }

  private func showNames(_ url: URL, column: String) throws {
    let rows = try StoreFileReader(contentsOf: url).rows("SELECT ZSTUDENTID, \(column) FROM ZSTUDENT ORDER BY Z_PK")
    Output.table([["ZSTUDENTID", column]] + rows.map { $0.map(\.description) })
  }
}
