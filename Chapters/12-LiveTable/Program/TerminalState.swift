import Foundation

/// How the terminal was, for everybody who may have to bring that back: the program's end,
/// `exit`, a signal.
///
/// All of it is set in raw mode's beginning, on the main thread, before a signal could want it.
/// A signal's handler may do little; `write` and `tcsetattr` are of it.
enum TerminalState {
  /// Not a variable: C writes the padding at its end as well, for which Swift gives a variable of
  /// this kind no room.
  nonisolated(unsafe) private static let former = {
    let former = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    former.initialize(to: termios())
    return former
  }()
  /// By the signals' numbers.
  nonisolated(unsafe) private static let formerActions = UnsafeMutablePointer<sigaction>
    .allocate(capacity: 65)
  nonisolated(unsafe) private static var isRaw = false

  /// The other screen, which leaves what stood in the window as it was; no cursor; no new line
  /// at the last column.
  private static let entering = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J".utf8)
  nonisolated(unsafe) private static let leaving: UnsafeMutableBufferPointer<UInt8> = {
    let bytes = Array("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = buffer.initialize(from: bytes)
    return buffer
  }()

  /// What ends a process: from outside, and from inside, when the program has trapped.
  private static let signals = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE,
  ]

  /// False if standard input is no terminal.
  static func enterRawMode() -> Bool {
    guard tcgetattr(STDIN_FILENO, former) == 0 else { return false }
    var raw = former.pointee
    cfmakeraw(&raw)
    _ = leaving
    isRaw = true
    atexit { TerminalState.restore() }
    handleSignals()
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else {
      isRaw = false
      return false
    }
    write(entering)
    return true
  }

  static func restore() {
    guard isRaw else { return }
    isRaw = false
    _ = Foundation.write(STDOUT_FILENO, leaving.baseAddress!, leaving.count)
    tcsetattr(STDIN_FILENO, TCSANOW, former)
  }

  /// Each signal restores the terminal, then does what it did before.
  private static func handleSignals() {
    var handled = sigset_t()
    sigemptyset(&handled)
    for number in signals {
      let former = formerActions + Int(number)
      sigaction(number, nil, former)
      // Who started the program wanted it to go on, as `nohup` does.
      if isIgnored(former.pointee) { continue }
      var action = sigaction()
      setHandler(&action) { number in
        TerminalState.restore()
        sigaction(number, TerminalState.formerActions + Int(number), nil)
        raise(number)
      }
      sigaction(number, &action, nil)
      sigaddset(&handled, number)
    }
    // A parent may have had them blocked, and its child begins with the same.
    pthread_sigmask(SIG_UNBLOCK, &handled, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(ObjectiveC)
    let handler = action.__sigaction_u.__sa_handler
    #else
    let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func setHandler(
    _ action: inout sigaction, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    #if canImport(ObjectiveC)
    action.__sigaction_u.__sa_handler = handler
    #else
    action.__sigaction_handler.sa_handler = handler
    #endif
  }

  /// Writes all of it: a terminal may take less at a time, and be busy.
  static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.write(STDOUT_FILENO, $0.baseAddress!, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}
