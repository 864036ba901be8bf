import ChapterSupport
import Foundation
import StoreFileReader
import SwiftData
import UnderSwiftDataChapter

/// `--hidden`: saves, merges and faults that no line of the program asks for.
extension UnderSwiftDataProgram {
  @MainActor func showHidden(in folder: URL) async throws {
    let url = folder.appendingPathComponent(School.storeName)
    let container = try School.open(at: url)

    Output.heading("A save that you did not write")
    let school = School(context: container.mainContext)
    //> autosave
    let ada = school.add(name: "Ada", age: 20, id: 1)
    try show("at once", school, url)
    try await wait { !container.mainContext.hasChanges }
    try show("a moment later", school, url)
    //< autosave

    Output.heading("An identity that changes")
    let grace = Student(name: "Grace", age: 22, id: 2)
    Output.line("made:     \(shown(grace.persistentModelID))")
    container.mainContext.insert(grace)
    Output.line("inserted: \(shown(grace.persistentModelID))")
    try container.mainContext.save()
    Output.line("saved:    \(shown(grace.persistentModelID))")

    Output.heading("A merge policy that you did not choose")
    //> upsert
    let context = ModelContext(container)
    context.insert(Student(name: "Ada Lovelace", age: 36, id: 1))
    try context.save()
    //< upsert
    let rows = try StoreFileReader(contentsOf: url).rows("SELECT Z_PK, Z_OPT, ZSTUDENTNAME FROM ZSTUDENT ORDER BY 1")
    Output.table([["Z_PK", "Z_OPT", "ZSTUDENTNAME"]] + rows.map { $0.map(\.description) })

    Output.heading("A merge that you did not write")
    //> merged
    try await wait { ada.studentName != "Ada" }
    Output.line("the main context's Ada is called \(ada.studentName)")
    //< merged

    Output.heading("An array that is a set")
    ada.grades = [Grade("Mathematics", points: 97), Grade("Drawing", points: 61), Grade("French", points: 78)]
    try container.mainContext.save()
    let columns = try StoreFileReader(contentsOf: url).rows("SELECT name FROM pragma_table_info('ZGRADE')")
    Output.line("columns of ZGRADE: \(columns.map { $0[0].description }.joined(separator: ", "))")
    //> sorted
    let best = ada.grades.sorted { $0.points > $1.points }
    //< sorted
    Output.line("the best first: \(best.map(\.subject).joined(separator: ", "))")
  }

  /// An identity, without the UUID that a model is known by before its first save.
  private func shown(_ identifier: PersistentIdentifier) -> String {
    let text = "\(identifier)"
    guard identifier.storeIdentifier == nil, let slash = text.lastIndex(of: "/") else { return text }
    return text[...slash] + "t…"
  }

  /// Gives the main queue time for its own work until something is so.
  @MainActor private func wait(until isSo: () -> Bool) async throws {
    for _ in 0..<1000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw ChapterFailure("Ten seconds have passed, and the main context has not done what it does by itself.")
  }
}
