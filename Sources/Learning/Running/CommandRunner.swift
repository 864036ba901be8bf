import Foundation

/// The result of a command.
package struct CommandResult: Sendable {
  package enum End: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
  }
  package let end: End
  /// Standard output and standard error, in the order in which they were written.
  package let output: String
  package let seconds: Double
}

/// Runs commands. Each gets a process group of its own, so that processes it started can be ended with it.
package enum CommandRunner {
  /// - Parameters:
  ///   - limit: the seconds after which the whole group is killed.
  ///   - note: called about once a second with the output so far.
  /// - Throws: `LearningProblem` if the command can't be started.
  package static func run(
    _ command: [String], environment: [String: String], limit: Double, note: ((String) -> Void)? = nil
  ) throws -> CommandResult {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("strata-learn-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    let start = ContinuousClock.now
    let pid = try spawn(command, environment: environment, output: output.path)
    Interruption.running = pid
    let isOver = waitUntilExit(pid, start: start, limit: limit) { note?(text(output)) }
    // Kill the group before waiting for its leader. Until then the leader's id, which is the group's, can't be reused.
    kill(-pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    Interruption.running = 0
    let duration = (ContinuousClock.now - start).components
    return CommandResult(
      end: isOver ? end(status) : .timedOut,
      output: text(output),
      seconds: Double(duration.seconds) + Double(duration.attoseconds) / 1e18)
  }

  private static func text(_ file: URL) -> String {
    String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
  }

  private static func spawn(
    _ command: [String], environment: [String: String], output: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, command[0], &actions, &attributes, arguments, variables)
    guard code == 0 else {
      throw LearningProblem("\(command[0]) can't be started: \(String(cString: strerror(code))).")
    }
    return pid
  }

  /// Returns false if the limit is reached first.
  private static func waitUntilExit(
    _ pid: pid_t, start: ContinuousClock.Instant, limit: Double, everySecond note: () -> Void
  ) -> Bool {
    var nextNote = start + .seconds(1)
    while true {
      var info = siginfo_t()
      if waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == SIGCHLD { return true }
      let now = ContinuousClock.now
      if now - start > .seconds(limit) { return false }
      if now > nextNote {
        note()
        nextNote = now + .seconds(1)
      }
      usleep(5_000)
    }
  }

  private static func end(_ status: Int32) -> CommandResult.End {
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}

/// Makes ^C and a termination end the running command too. It has a group of its own, which doesn't receive the signal.
package enum Interruption {
  /// The running process group, or 0. A signal handler may read this single word at any time.
  nonisolated(unsafe) static var running: pid_t = 0

  package static func install() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if Interruption.running > 0 { kill(-Interruption.running, SIGTERM) }
        _exit(128 + number)
      }
    }
  }
}
