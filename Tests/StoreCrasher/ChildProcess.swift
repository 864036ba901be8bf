import Foundation

/// This program once more, with other arguments.
struct ChildProcess {
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  private let id: pid_t

  static let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

  init(_ arguments: [String]) throws {
    var id: pid_t = 0
    var values = ([ChildProcess.executable] + arguments).map { strdup($0) }
    values.append(nil)
    defer { for value in values { free(value) } }
    let code = posix_spawn(&id, ChildProcess.executable, nil, nil, values, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.id = id
  }

  func kill() { Foundation.kill(id, SIGKILL) }

  func wait() -> End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }
}
