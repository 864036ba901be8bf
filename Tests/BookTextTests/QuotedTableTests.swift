import BookText
import Foundation
import Testing

@Suite("Tables that say which transcript they are from")
struct QuotedTableTests {
  static let table = """
    | set-up | saves |
    | --- | --- |
    | `a`, `b` | 4 |
    | `c` | 8 |
    | all | 12 |
    """

  /// A book whose program prints the table, and whose page shows `shown`.
  private func problems(_ shown: String, transcript: String = "run") throws -> [String] {
    let book = try SmallBook()
    let file = "Chapters/01-Keeping/run.transcript"
    try book.write(file, try book.read(file) + Self.table + "\n")
    try book.write("programs/Keep", try book.read("programs/Keep") + "cat <<'END'\n\(Self.table)\nEND\n")
    let page = "Chapters/01-Keeping/README.md"
    try book.write(page, try book.read(page) + "\n<!-- table transcript=\(transcript) -->\n\n\(shown)\n")
    return try book.problems()
  }

  @Test("The whole table is sound, and so is one with rows left out")
  func sound() throws {
    #expect(try problems(Self.table) == [])
    #expect(try problems(Self.table.replacing("| `c` | 8 |\n", with: "")) == [])
  }

  @Test(
    "A changed cell, a changed head, another order and no rows at all are found, at the table's head",
    arguments: [
      ("| 8 |", "| 9 |"), ("saves", "save"), ("| `c` | 8 |\n| all | 12 |", "| all | 12 |\n| `c` | 8 |"),
      ("\n| `a`, `b` | 4 |\n| `c` | 8 |\n| all | 12 |", ""), (table, "There is no table."),
    ])
  func mistakes(old: String, new: String) throws {
    let problems = try problems(Self.table.replacing(old, with: new))
    #expect(problems.count == 1)
    #expect(problems.first?.contains("README.md:39: this table is not in") == true, "\(problems)")
  }

  @Test("A transcript that is not there is found")
  func noTranscript() throws {
    #expect(
      try problems(Self.table, transcript: "walk").first?.contains("there is no Chapters/01-Keeping/walk.transcript")
        == true)
  }
}
