import Foundation
import PrivateServer

/// Lets a child stop the server of its parent and start it again, by files in the folder that both know.
enum ServerSwitch: String, CaseIterable {
  case stop, start

  private func request(in folder: URL) -> URL { folder.appendingPathComponent("server-\(rawValue)") }
  private func answer(in folder: URL) -> URL { folder.appendingPathComponent("server-\(rawValue)-done") }

  /// Asks the parent and waits until it is done. Throws what the parent could not do.
  func ask(in folder: URL) throws {
    try Data().write(to: request(in: folder))
    for _ in 0..<6000 {
      if let trouble = try? String(contentsOf: answer(in: folder), encoding: .utf8) {
        if trouble.isEmpty { return }
        throw ComparisonFailure("The server did not \(rawValue): \(trouble)")
      }
      usleep(10_000)
    }
    throw ComparisonFailure("The server did not \(rawValue) within a minute.")
  }

  /// Does what a child asks for, on a thread of its own, until `end()`.
  final class Listener: @unchecked Sendable {
    // `@unchecked Sendable`: `isOver` is only touched under `lock`.

    private let lock = NSLock()
    private var isOver = false
    private let done = DispatchSemaphore(value: 0)

    init(_ server: PrivateServer, in folder: URL) {
      Thread.detachNewThread { [self] in
        var isRunning = true
        while !lock.withLock({ isOver }) {
          let wanted: ServerSwitch = isRunning ? .stop : .start
          if FileManager.default.fileExists(atPath: wanted.request(in: folder).path) {
            var trouble = ""
            do {
              if isRunning { server.halt() } else { try server.start() }
              isRunning.toggle()
            } catch { trouble = "\(error)" }
            // Empty for success. A child that finds no answer says so itself.
            try? Data(trouble.utf8).write(to: wanted.answer(in: folder), options: .atomic)
            if wanted == .start { break }
          }
          usleep(10_000)
        }
        // A child that has ended meanwhile leaves the next one a server.
        if !isRunning { try? server.start() }
        done.signal()
      }
    }

    func end() {
      lock.withLock { isOver = true }
      done.wait()
    }
  }
}
