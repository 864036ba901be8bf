import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader
import SwiftData
import UnderSwiftDataChapter

/// The model and the file, beside those of chapter 1.
extension UnderSwiftDataProgram {
  static let chapterOneStore = CoreDataStack.storeName

  func compare(in folder: URL) throws {
    Output.heading("The model, beside chapter 1's")
    let theirs = CoreDataStack(folder: folder).managedObjectModel
    //> model
    let model = NSManagedObjectModel.makeManagedObjectModel(for: [
      UnderSwiftDataChapter.Student.self
    ])
    //< model
    guard let model, let mine = model.entitiesByName["Student"], let other = theirs.entitiesByName["Student"] else {
      throw ChapterFailure("One of the models has no entity Student.")
    }
    let (here, there) = (EntityFacts(mine).properties, EntityFacts(other).properties)
    Output.table(
      [["property", "chapter 1", "here"]]
        + Set(here.keys).union(there.keys).sorted().map { [$0, there[$0] ?? "none", here[$0] ?? "none"] })
    Output.line("entities: \(model.entities.compactMap(\.name).sorted().joined(separator: ", "))")
    Output.line("version:  \(model.versionIdentifiers.map { "\($0)" }.joined())")

    Output.heading("The file, beside chapter 1's")
    let url = folder.appendingPathComponent(Self.chapterOneStore)
    try makeChapterOneFile(in: folder, students: [])
    for (name, file) in [("chapter 1", url), ("here", folder.appendingPathComponent(School.storeName))] {
      let reader = try StoreFileReader(contentsOf: file)
      Output.line("\(name):")
      show(statement: try reader.tables().joined(separator: ", "))
      let sql = try reader.rows("SELECT sql FROM sqlite_master WHERE tbl_name = 'ZSTUDENT' AND sql NOT NULL")
      for row in sql { show(statement: row[0].description) }
    }

    Output.heading("The hashes of three entities called Student")
    let twin = NSManagedObjectModel.makeManagedObjectModel(for: [ChapterOne.Student.self])
    for (name, entity) in [
      ("chapter 1's:        ", other), ("Student:            ", mine),
      ("ChapterOne.Student: ", twin?.entitiesByName["Student"]),
    ] {
      let hash = entity?.versionHash.prefix(8).map { String(format: "%02x", $0) }.joined() ?? "none"
      Output.line("\(name)\(hash)…")
    }
  }

  /// Makes chapter 1's file by chapter 1's stack.
  func makeChapterOneFile(in folder: URL, students: [(name: String, age: Int16)]) throws {
    let stack = CoreDataStack(folder: folder)
    let register = StudentRegister(context: stack.managedObjectContext)
    for (index, student) in students.enumerated() {
      register.add(name: student.name, age: student.age, id: Int16(index + 1))
    }
    try stack.saveContext()
    try stack.close()
  }

  private func show(statement: String) {
    var rest = Substring(statement)
    var indentation = "  "
    while rest.count > 86, let comma = rest.prefix(86).lastIndex(of: ",") {
      Output.line(indentation + rest[...comma])
      rest = rest[rest.index(after: comma)...].drop { $0 == " " }
      indentation = "    "
    }
    Output.line(indentation + rest)
  }
}
