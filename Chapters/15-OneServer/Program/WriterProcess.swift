import CoreData
import Foundation
import OneServerChapter

/// This program, started once more as a writer. It reads commands line by line, and answers each with a line.
final class WriterProcess {
  private let process = Process()
  private let (questions, answers) = (Pipe(), Pipe())

  init(_ url: URL, _ options: String...) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--writer", url.absoluteString] + options
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
  }

  func tell(_ command: String) throws {
    try questions.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
  }

  /// One line.
  func answer() throws -> String {
    var line = Data()
    while let byte = try answers.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 10 {
      line.append(first)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// It ends when it can hear nothing more.
  func end() throws {
    try questions.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// What a writer process does.
  static func serve(_ writer: TallyWriter) throws {
    while let command = readLine() {
      switch command {
      case "read":
        try writer.read("visits")
        print("ready")
      case "save":
        print(try writer.save() ? "saved" : "refused")
      case "add":
        print(try (1...100).reduce(0) { refused, _ in refused + (try writer.add("visits")) })
      default:
        for _ in 1...100 { try writer.addInPlace("visits") }
        print(0)
      }
    }
  }
}
