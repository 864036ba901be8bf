import Foundation
import LiveTableChapter

/// The terminal in raw mode: keys come one by one, and nothing is shown but what is written.
///
/// One at a time, on the main queue. The former state comes back with `restore()`, with the end
/// of the process by `exit`, and when a signal ends it.
@MainActor final class Terminal {
  enum Event {
    case keys([Key])
    case resized
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What happens at the terminal, until the input ends.
  let events: AsyncStream<Event>

  private let continuation: AsyncStream<Event>.Continuation
  private var sources: [any DispatchSourceProtocol] = []
  private var decoder = KeyDecoder()
  private var reading = 0
  private var shown: [ScreenLine] = []

  /// Whether there is a terminal at both ends, of a kind that can move its cursor.
  static var isThere: Bool {
    let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && kind != ""
      && kind != "dumb"
  }

  /// NO_COLOR, set to anything, asks for none.
  private let colors = (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

  init() throws {
    (events, continuation) = AsyncStream.makeStream(of: Event.self)
    guard TerminalState.enterRawMode() else {
      throw Failure(description: "The terminal cannot be switched to single keys.")
    }
    signal(SIGWINCH, SIG_IGN)
    let resizing = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .main)
    resizing.setEventHandler { [continuation] in continuation.yield(.resized) }
    let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    input.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.read() } }
    sources = [resizing, input]
    for source in sources { source.resume() }
  }

  func restore() {
    for source in sources { source.cancel() }
    sources = []
    continuation.finish()
    TerminalState.restore()
  }

  /// Columns and lines; those of old terminals where the system can't tell.
  var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines, by writing only those that differ.
  func show(_ lines: [ScreenLine]) {
    write(ScreenUpdate.bytes(from: shown, to: lines, colors: colors))
    shown = lines
  }

  /// Starts over with an empty screen: after a change of size, what is where is unknown.
  func clear() {
    write("\u{1B}[2J")
    shown = []
  }

  private func write(_ text: String) {
    TerminalState.write(Array(text.utf8))
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    guard count > 0 else { return continuation.finish() }
    yield(decoder.keys(bytes.prefix(count)))
    reading += 1
    guard decoder.isWaiting else { return }
    // The rest of an arrow key is there at once; after Escape nothing comes.
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { [reading] in
      MainActor.assumeIsolated { [weak self] in
        guard let self, self.reading == reading else { return }
        self.yield(self.decoder.flush())
      }
    }
  }

  private func yield(_ keys: [Key]) {
    if !keys.isEmpty { continuation.yield(.keys(keys)) }
  }
}
