import CoreData
import Foundation

/// Catches what Core Data prints with `-com.apple.CoreData.SQLDebug 4`, on its way to standard error.
enum SQLRecorder {
  private static let argument = "-com.apple.CoreData.SQLDebug"
  private static let mark = "ASKING_SHOWS_SQL"

  /// Starts the program over with the argument: Core Data reads it from the command line and from nowhere else.
  static func restartWithSQL() {
    var arguments = CommandLine.arguments
    guard !arguments.contains(argument) else { return }
    arguments.insert(contentsOf: [argument, "4"], at: 1)
    setenv(mark, "1", 1)
    var pointers = arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &pointers)
  }

  /// Does `work`, and returns the statements that read meanwhile. Whoever gave the argument sees the lines as well.
  static func record<Answer>(_ work: () throws -> Answer) throws -> (answer: Answer, statements: [SQLStatement]) {
    guard let file = tmpfile() else { return (try work(), []) }
    defer { fclose(file) }
    let standardError = dup(STDERR_FILENO)
    dup2(fileno(file), STDERR_FILENO)
    let answer = Result { try work() }
    dup2(standardError, STDERR_FILENO)
    close(standardError)
    let text = contents(of: file)
    let (statements, others) = SQLStatement.read(text)
    let isWanted = getenv(mark) == nil
    FileHandle.standardError.write(Data((isWanted ? text : others).utf8))
    return (try answer.get(), statements)
  }

  /// Does `work` and shows nothing of its SQL.
  static func silence(_ work: () throws -> Void) throws { _ = try record(work) }

  private static func contents(of file: UnsafeMutablePointer<FILE>) -> String {
    rewind(file)
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      data.append(contentsOf: buffer[..<count])
    }
    return String(decoding: data, as: UTF8.self)
  }
}
