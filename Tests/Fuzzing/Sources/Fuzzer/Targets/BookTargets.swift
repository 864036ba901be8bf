import Foundation

@testable import BookText

/// A page of the book: Markdown, read and checked.
struct BookPageTarget: FuzzTarget {
  static let name = "book-page"
  static let longest = 4096

  private let root: URL

  init() throws {
    root = Scratch.url("Book")
    for folder in ["Chapters/01-Page", "Chapters/Exercises"] {
      let url = root.appendingPathComponent(folder, isDirectory: true)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    try Data("# The book\n\n1. [Page](01-Page/README.md)\n".utf8)
      .write(to: root.appendingPathComponent("Chapters/README.md"))
    try Data("# Exercises\n".utf8).write(to: root.appendingPathComponent("Chapters/Exercises/README.md"))
    try Data("$ swift run Page\nA line\n".utf8)
      .write(to: root.appendingPathComponent("Chapters/01-Page/run.transcript"))
    try Data("//> part\nlet a = 1\n//< part\n".utf8)
      .write(to: root.appendingPathComponent("Chapters/01-Page/Page.swift"))
  }

  func run(_ input: [UInt8]) throws {
    try Scratch.write(Array(String(decoding: input, as: UTF8.self).utf8), "Book/Chapters/01-Page/README.md")
    let book = try Book(root: root)
    let result = BookCheck(book: book).run(programs: nil, form: true)
    _ = result.problems.reduce(0) { $0 + "\($1)".utf8.count }
    for page in book.pages { _ = Weaver(book: book).woven(page).text.utf8.count }
  }
}

/// Sources that the book quotes, and the transcripts beside them.
struct BookSourceTarget: FuzzTarget {
  static let name = "book-source"
  static let longest = 4096

  func run(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    let structure = SwiftStructure(text)
    // Printing the structure itself would take longer than making it.
    for declaration in structure.declarations {
      _ = declaration.label.utf8.count
      _ = structure.declarations(named: declaration.path).count
      _ = structure.declaration(around: declaration.lines)?.label
    }
    _ = SourceRegions(text, file: "Page.swift").problems.map { "\($0)".utf8.count }
    let transcript = try Transcript(path: "Chapters/01-Page/run.transcript", text: "$ swift run Page\n" + text)
    _ = transcript.statements
    _ = (try? StepRecording(transcript))?.text.count
    _ = TranscriptRunner.normalised(text)
  }
}
