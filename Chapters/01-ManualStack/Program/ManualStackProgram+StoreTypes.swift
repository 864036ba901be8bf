import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader

/// `--types`: the same program over the four types of stores.
extension ManualStackProgram {
  static let storeTypes = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]

  @MainActor func showStoreTypes(in folder: URL) throws {
    for type in Self.storeTypes {
      Output.heading("A store of type \(type)")
      try StoreOptions.removeStore(at: CoreDataStack(folder: folder, storeType: type).storeURL)
      let url = try showOneType(type, in: folder)
      try showFile(at: url, of: type)
    }
  }

  /// Saves three students, a fourth by another stack and a fifth by the first, and prints what each stack sees.
  /// Returns where the file is, if there is one.
  @MainActor private func showOneType(_ type: String, in folder: URL) throws -> URL {
    //> types
    let stack = CoreDataStack(folder: folder, storeType: type)
    let register = StudentRegister(context: stack.managedObjectContext)
    if let failure = stack.loadingFailure { throw failure }
    register.add(name: "Ada", age: 20, id: 1)
    register.add(name: "Grace", age: 22, id: 2)
    register.add(name: "Barbara", age: 21, id: 3)
    try stack.saveContext()

    let other = CoreDataStack(folder: folder, storeType: type)
    let otherRegister = StudentRegister(context: other.managedObjectContext)
    Output.line("another stack opens it and finds \(try students(otherRegister))")
    otherRegister.add(name: "Alan", age: 23, id: 4)
    try other.saveContext()
    try other.close()
    Output.line("it saves a fourth; the first stack fetches \(try students(register))")

    register.add(name: "Edsger", age: 24, id: 5)
    do {
      try stack.saveContext()
      Output.line("the first stack saves a fifth")
    } catch {
      Output.line("the first stack's save of a fifth is refused: \((error as NSError).code)")
    }
    try stack.close()

    let again = CoreDataStack(folder: folder, storeType: type)
    let left = StudentRegister(context: again.managedObjectContext)
    Output.line("opened again, it has \(try students(left))")
    try again.close()
    return stack.storeURL
    //< types
  }

  @MainActor private func students(_ register: StudentRegister) throws -> String {
    Output.count(try register.all().count, "student")
  }

  private func showFile(at url: URL, of type: String) throws {
    guard let data = FileManager.default.contents(atPath: url.path) else {
      Output.line("there is no file")
      return
    }
    switch type {
    case NSSQLiteStoreType:
      let tables = try StoreFileReader(contentsOf: url).tables().joined(separator: ", ")
      Output.line("\(url.lastPathComponent) is a database with the tables \(tables)")
    case NSXMLStoreType:
      Output.line("\(url.lastPathComponent) is a text, with this in it:")
      for line in Self.objectLines(of: data, named: "Ada") { Output.line("  " + line) }
    default:
      let head = String(decoding: data.prefix(8), as: UTF8.self)
      let archives = Self.count(of: Data("bplist00".utf8), in: data)
      Output.line("\(url.lastPathComponent) begins with \"\(head)\" and has \(Output.count(archives, "archive"))")
    }
  }

  /// The lines of the XML element with this name in it, without the indentation that they share. The order of the
  /// elements is that of saving, which differs from run to run.
  private static func objectLines(of data: Data, named name: String) -> [String] {
    let lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
    guard let place = lines.firstIndex(where: { $0.contains(">\(name)<") }),
      let first = lines[...place].lastIndex(where: { $0.contains("<object") }),
      let last = lines[place...].firstIndex(where: { $0.contains("</object>") })
    else { return [] }
    let indentation = lines[first].prefix { $0 == " " }.count
    return lines[first...last].map { String($0.dropFirst(indentation)) }
  }

  private static func count(of part: Data, in data: Data) -> Int {
    var found = 0
    var start = data.startIndex
    while let range = data.range(of: part, in: start..<data.endIndex) {
      found += 1
      start = range.upperBound
    }
    return found
  }
}
