import Foundation

/// Starts a child, waits for it, and says how it ended.
struct ChildProcess {
  enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// It took too long and was killed.
    case late

    /// `ended by SIGILL`
    var sentence: String {
      switch self {
      case .exit(let status): "ended with \(status)"
      case .signal: "ended by \(signalName)"
      case .late: "did not come to an end"
      }
    }

    /// The cause for the end of a sentence: the signal, or how it ended.
    var cause: String { signalName.isEmpty ? sentence : signalName }

    /// `SIGKILL`
    var signalName: String {
      guard case .signal(let number) = self else { return "" }
      let names: [Int32: String] = [
        SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS",
      ]
      return names[number] ?? "signal \(number)"
    }
  }

  let end: End
  let standardError: String

  /// - Parameters:
  ///   - scratch: a folder for the child's standard error.
  ///   - limit: the greatest time it may take, in seconds.
  ///   - keepsOutput: whether standard output is kept together with standard error; otherwise it is discarded.
  init(_ program: URL, arguments: [String], scratch: URL, limit: Double = 120, keepsOutput: Bool = false) throws {
    let log = scratch.appendingPathComponent("standard-error-\(UUID().uuidString)")
    FileManager.default.createFile(atPath: log.path, contents: nil)
    let handle = try FileHandle(forWritingTo: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    // Environment switches for tests of the stack must not affect set-ups.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREDATA_") }
    // Traps are expected here, and the message is enough.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    process.standardError = handle
    process.standardOutput = keepsOutput ? handle : FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try ChildProcess.start(process)
    let isLate = ended.wait(timeout: .now() + limit) == .timedOut
    if isLate {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    // It has ended. Foundation frees a process only for a starter who asks like this.
    process.waitUntilExit()
    try? handle.close()
    standardError = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
    end =
      isLate
      ? .late
      : process.terminationReason == .uncaughtSignal
        ? .signal(process.terminationStatus) : .exit(process.terminationStatus)
  }

  /// Starts a process, and tries again while the program is "busy". A program that was just copied may still be open
  /// for writing in a child that another thread forked in the meantime and that hasn't executed its own program yet.
  private static func start(_ process: Process) throws {
    for _ in 0..<100 {
      do {
        return try process.run()
      } catch  where isBusy(error) {
        usleep(10_000)
      }
    }
    try process.run()
  }

  private static func isBusy(_ error: any Error) -> Bool {
    let error = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
    return error.domain == NSPOSIXErrorDomain && error.code == Int(ETXTBSY)
  }

  /// Lines of standard error that say something and aren't SQL.
  private var words: [String] {
    standardError.split(separator: "\n").map(String.init).filter {
      !$0.trimmingCharacters(in: .whitespaces).isEmpty && !$0.hasPrefix("CoreData: sql")
    }
  }

  var firstWords: String? { words.first }

  /// The last such line. For a trap it is the message, because a debug build prints the stack below it.
  var lastWords: String? { words.last { $0.contains("Fatal error: ") } ?? words.last }
}
