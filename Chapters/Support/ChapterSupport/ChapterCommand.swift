import ArgumentParser
import Foundation

/// A command of a chapter's program. It does its work in `perform()`, on the main thread.
public protocol ChapterCommand: ParsableCommand {
  @MainActor func perform() async throws
}

extension ChapterCommand {
  /// Chapters start with `ChapterProgram.run`, which keeps the main queue serviced; this door does not.
  public func run() throws {
    throw ChapterFailure(
      "\(Self.self) is started by ChapterProgram.run(_:), which has a run loop for the main queue")
  }
}

extension ParsableCommand {
  /// Refuses a command line with more than one of options of which each asks for another run.
  ///
  /// - Parameter options: Each as it is typed, and whether it is there.
  public func refuseTogether(_ options: KeyValuePairs<String, Bool>) throws {
    let given = options.filter(\.value).map(\.key)
    guard given.count > 1 else { return }
    throw ValidationError("\(given.joined(separator: " and ")) ask for different runs. Give one of them.")
  }
}

/// Starts a chapter's program and ends it with the right exit code.
public enum ChapterProgram {
  /// Parses the command line, runs the command, and leaves: 0 when it went well, not 0 when it did not.
  ///
  /// A main-queue context needs somebody to service the main queue. Here it is the main thread's run loop,
  /// and not an `async` main, because under that one blocks on the main queue run on *some* thread:
  /// `Thread.isMainThread`, which much Core Data code asks, would say no on Linux.
  public static func run<Root: ParsableCommand>(_ root: Root.Type) -> Never {
    // A reader who pipes the output into a file wants it in order with the errors.
    setvbuf(stdout, nil, _IOLBF, 0)
    do {
      var command = try root.parseAsRoot(ProcessInfo.processInfo.chapterArguments)
      guard let chapter = command as? any ChapterCommand else {
        try command.run()
        exit(EXIT_SUCCESS)
      }
      Task { @MainActor in
        do {
          try await chapter.perform()
          exit(EXIT_SUCCESS)
        } catch {
          leave(root, error)
        }
      }
    } catch {
      leave(root, error)
    }
    while true { RunLoop.main.run(until: .distantFuture) }
  }

  private static func leave<Root: ParsableCommand>(_ root: Root.Type, _ error: any Error) -> Never {
    switch error {
    case is ExitCode, is CleanExit, is ValidationError:
      root.exit(withError: error)
    case let failure as ChapterFailure:
      complain(failure)
    default:
      // The parser's own errors (an unknown option, `--help`) bring their own text and code with them.
      if root.exitCode(for: error) != .failure { root.exit(withError: error) }
      complain(ChapterFailure(error))
    }
  }

  private static func complain(_ failure: ChapterFailure) -> Never {
    let more = failure.code.map { "What \($0) means: swift run inspect --error \($0)" }
    let lines = ["Error: \(failure.sentence)", failure.picture, more].compactMap { $0?.visible() }
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    exit(EXIT_FAILURE)
  }
}
