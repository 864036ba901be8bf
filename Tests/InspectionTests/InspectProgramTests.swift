import BuiltPrograms
import Foundation
import TestFiles
import Testing

@Suite("The inspect program")
struct InspectProgramTests {
  private let folder = TemporaryFolder()

  private func run(_ arguments: [String]) throws -> (code: Int32, output: String, errors: String) {
    let process = Process()
    let program: URL = try #require(BuiltProgram.url("inspect"), "The program inspect was not built.")
    process.executableURL = program
    process.arguments = arguments
    let output = folder.file("output")
    let errors = folder.file("errors")
    for url in [output, errors] { try Data().write(to: url) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
      try String(contentsOf: errors, encoding: .utf8)
    )
  }

  @Test("It ends with 0 for what it shows, 1 for what it can't, 64 for a wrong command line or an unknown name")
  func exitCodes() throws {
    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    let shown = try run([store.path])
    #expect(shown.code == 0 && shown.output.hasPrefix(store.path) && shown.errors.isEmpty, "\(shown)")
    let missing = try run([folder.file("nothing").path])
    #expect(missing.code == 1 && missing.output.isEmpty)
    #expect(missing.errors == "Error: There is no file \(folder.file("nothing").path).\n")
    let unknown = try run([store.path, "--entity", "Bok"])
    #expect(unknown.code == 64 && unknown.errors.contains("it has AudioBook, Author, Book."))
    #expect(try run([]).code == 64)
    #expect(try run([store.path, "--where", "1 == 1"]).code == 64)
    for condition in ["is not a predicate", "publisher == 1", "author.books.publisher == 1", "title MATCHES '['"] {
      let refused = try run([store.path, "--entity", "Book", "--where", condition])
      #expect(refused.code == 64 && refused.errors.hasPrefix("Error: --where: "), "\(condition): \(refused)")
    }
    #expect(try run([store.path, "--entity", "Book", "--sort", "publisher"]).code == 64)
    #expect(try run([store.path, "--limit", "-1", "--history"]).code == 64)
    #expect(try run([store.path, "--entity", "Book", "--history"]).code == 64)
  }

  @Test("It explains an error code, and leads there from a failure that has one")
  func errorCodes() throws {
    let explained = try run(["--error", "133020"])
    #expect(explained.code == 0 && explained.output.hasPrefix("133020 NSManagedObjectMergeError\n\n"), "\(explained)")
    let unknown = try run(["--error", "4711"])
    #expect(unknown.code == 1 && unknown.errors.contains("134100"))
    #expect(try run(["--error", "133020", "Library.sqlite"]).code == 64)
  }

  @Test("--check ends with 0 for a sound store, 1 for one that is not, and takes no model file")
  func check() throws {
    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    let sound = try run([store.path, "--check"])
    #expect(sound.code == 0 && sound.output == "Nothing is wrong: 3 entities looked over.\n", "\(sound)")
    try InspectionTests.run("UPDATE ZBOOK SET Z_OPT = 0 WHERE Z_PK = 2", in: store)
    let damaged = try run([store.path, "--check"])
    #expect(damaged.code == 1 && damaged.output == "ZBOOK: 1 row with a version below 1\n", "\(damaged)")
    let json = try run([store.path, "--check", "--json"])
    #expect(json.code == 1 && json.output.contains("ZBOOK: 1 row with a version below 1"))
    #expect(try run([store.path, "--check", "--history"]).code == 64)
  }

  @Test("Everything that it prints as JSON is one document")
  func json() throws {
    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    for arguments in [[], ["--entity", "Book"], ["--entity", "Book", "--where", "pages > 1000"]] {
      let outcome = try run([store.path, "--json"] + arguments)
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
      #expect((try? JSONSerialization.jsonObject(with: Data(outcome.output.utf8))) is [String: Any])
    }
  }

  @Test("It says which version it is, and writes a script for completion")
  func version() throws {
    #expect(try run(["--version"]).output.hasPrefix("inspect of Strata"))
    let script = try run(["--generate-completion-script", "bash"])
    #expect(script.code == 0 && script.output.contains("--entity"))
  }

  @Test("A diagram of a store's model is written where it should be")
  func diagram() throws {
    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    let picture = folder.file("Library.svg")
    #expect(try run([store.path, "--diagram", picture.path]).code == 0)
    let svg = try String(contentsOf: picture, encoding: .utf8)
    #expect(svg.hasPrefix("<svg ") && svg.contains(">AudioBook<"))
    #expect(try run([store.path, "--diagram", folder.file("no/such/folder.svg").path]).code == 1)
  }
}
