internal import CSQLite

/// A log of the SQL that a store runs, in the format of Apple's `-com.apple.CoreData.SQLDebug`.
///
/// | level | lines |
/// |---|---|
/// | 1 | each statement; how long fetches and saves took |
/// | 3 | also the values bound to parameters |
/// | 4 | also SQLite's plan of each query |
///
/// Any thread.
package final class StatementTrace: @unchecked Sendable {
  // `@unchecked Sendable`: `recorded` and `prepared` are only touched under `lock`; the rest is constant.

  package let level: Int
  private let writesToStandardError: Bool
  private let lock = NSLock()
  private var recorded: [String] = []
  private var prepared: [String] = []
  private let isRecording: Bool

  package init(level: Int, isRecording: Bool = false) {
    self.level = level
    self.isRecording = isRecording
    writesToStandardError = !isRecording
  }

  /// The trace that the program's arguments ask for, shared by all stores; nil without the argument.
  package static let requested: StatementTrace? =
    LaunchArguments.number(for: "com.apple.CoreData.SQLDebug").flatMap { $0 > 0 ? StatementTrace(level: $0) : nil }

  /// For tests: the SQL that ran since the last call, one statement per element; empty unless the trace records.
  package func takeRecorded() -> [String] {
    lock.lock()
    defer { lock.unlock() }
    defer { recorded = [] }
    return recorded
  }

  /// For tests: the SQL that connections prepared and kept since the last call; empty unless the trace records.
  func takePrepared() -> [String] {
    lock.lock()
    defer { lock.unlock() }
    defer { prepared = [] }
    return prepared
  }

  func didPrepare(_ sql: String) {
    guard isRecording else { return }
    lock.lock()
    prepared.append(sql)
    lock.unlock()
  }

  package func willRun(_ sql: String) {
    if isRecording {
      lock.lock()
      recorded.append(sql)
      lock.unlock()
    }
    write("sql: \(sql)")
  }

  /// Also shows the parameters, from level 3 on.
  func willRun(_ statement: Statement, parameters: [String]) {
    willRun(statement.sql)
    guard level >= 3 else { return }
    for (index, parameter) in parameters.enumerated() {
      write("details: SQLite bind[\(index)] = \(parameter)")
    }
  }

  package func annotate(_ text: @autoclosure () -> String) { write("annotation: \(text())") }

  package func detail(_ text: @autoclosure () -> String) { write("details: \(text())") }

  private func write(_ text: String) {
    guard writesToStandardError, level > 0 else { return }
    FileHandle.standardError.write(Data("CoreData: \(text)\n".utf8))
  }

  /// The time since `start` as the lines show it: seconds with four digits.
  package static func seconds(since start: UInt64) -> String {
    String(format: "%.4fs", Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
  }
}
