import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("First ten minutes", .serialized)
struct FirstTenMinutesTests {
  let folder = TemporaryFolder()

  private func titles() throws -> [String] {
    let reader = try StoreFileReader(contentsOf: folder.url.appendingPathComponent("Library.sqlite"))
    return try reader.rows("SELECT ZTITLE FROM ZBOOK ORDER BY Z_PK").map { $0[0].description }
  }

  @Test("After the kill the file has what was saved, and nothing of what was not")
  func killed() throws {
    let outcome = try ProgramRunner.run("FirstTenMinutes", ["--crash"], store: folder.url)
    #expect(outcome.exitCode == -SIGKILL)
    #expect(outcome.output.hasSuffix("Not saved yet. Mary's books: 2\n"))
    #expect(try titles() == ["Frankenstein"])
    let again = try ProgramRunner.run("FirstTenMinutes", [], store: folder.url)
    #expect(again.exitCode == 0, "\(again.errors)")
    #expect(again.output.hasSuffix("Books in the file: 1\n  Frankenstein by Mary Shelley\n"))
    #expect(try titles() == ["Frankenstein"])
  }

  @Test("Without the kill both books are saved, each with its author")
  func saved() throws {
    try ProgramRunner.run("FirstTenMinutes", [], store: folder.url)
    #expect(try titles() == ["Frankenstein", "The Last Man"])
    let reader = try StoreFileReader(contentsOf: folder.url.appendingPathComponent("Library.sqlite"))
    #expect(try reader.integer("SELECT COUNT(*) FROM ZBOOK JOIN ZAUTHOR ON ZAUTHOR.Z_PK = ZBOOK.ZAUTHOR") == 2)
  }
}
