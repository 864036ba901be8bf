import ChapterSupport
import Foundation

/// The SQL of a migration. The store prints it where the command line asks for that, so the program runs itself once
/// more, with that argument.
enum MigrationSQL {
  /// What changes something, in the order in which it ran: from the beginning of the transaction to its end.
  static func ofMigrating(storeIn folder: URL, to version: Int) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--store", folder.path, "--to", "\(version)", "-com.apple.CoreData.SQLDebug", "1"]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ChapterFailure(text) }
    return text.split(separator: "\n").compactMap { line in
      guard let mark = line.range(of: "sql: ") else { return nil }
      return String(line[mark.upperBound...])
    }
  }
}
