import BuiltPrograms
import Foundation
import TestFiles
import Testing

@Suite(
  "Chapter 12: the live table in a terminal", .serialized,
  .enabled(if: PseudoTerminal(columns: 80, lines: 20) != nil, "the system gives out no pseudo terminals"))
struct LiveTableTerminalTests {
  @Test(
    "Keys change the store, the table follows, so does a new size; quitting leaves the terminal as it was"
  )
  func session() throws {
    let folder = TemporaryFolder()
    let terminal = try #require(PseudoTerminal(columns: 80, lines: 20))
    let process = try terminal.start("LiveTable", ["--store", folder.url.path, "--fresh"])
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    let former = terminal.modes
    #expect(terminal.read(until: "q quit"))
    #expect(terminal.modes != former)
    terminal.type("a")
    #expect(terminal.read(until: "Ines Moreau"))
    terminal.type("/rash")
    #expect(terminal.read(until: "filter \"rash\""))
    terminal.type("\u{1B}")
    #expect(terminal.read(until: "Mara Lindt"))
    terminal.resize(columns: 40, lines: 10)
    // It is not the terminal that this process runs at, so nobody else tells it.
    kill(process.processIdentifier, SIGWINCH)
    #expect(terminal.read(until: "\u{1B}[10;1H"))
    terminal.type("q")
    #expect(terminal.read(until: "\u{1B}[?1049l"))
    try #require(terminal.waitForEnd(of: process))
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    #expect(terminal.modes == former)
  }

  @Test("A signal ends it, and leaves the terminal as it was")
  func signal() throws {
    let folder = TemporaryFolder()
    let terminal = try #require(PseudoTerminal(columns: 80, lines: 20))
    let process = try terminal.start("LiveTable", ["--store", folder.url.path, "--fresh", "--writer"])
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    let former = terminal.modes
    #expect(terminal.read(until: "q quit"))
    kill(process.processIdentifier, SIGTERM)
    #expect(terminal.read(until: "\u{1B}[?1049l"))
    try #require(terminal.waitForEnd(of: process))
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
    #expect(terminal.modes == former)
  }
}

/// Both ends of a terminal: a program sits at one, a test at the other.
private final class PseudoTerminal {
  private let master: Int32
  private let slave: Int32

  /// Nil where the system has none to give.
  init?(columns: Int, lines: Int) {
    // By the requests of Linux: Glibc's module leaves out `posix_openpt` and what goes with it.
    let (unlock, askNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, askNumber, &number) == 0
    else { return nil }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    guard slave >= 0 else { return nil }
    resize(columns: columns, lines: lines)
  }

  deinit {
    close(slave)
    close(master)
  }

  func resize(columns: Int, lines: Int) {
    var size = winsize(ws_row: UInt16(lines), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// What raw mode changes.
  var modes: [tcflag_t] {
    var modes = termios()
    tcgetattr(slave, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
  }

  func start(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    let executable: URL = try #require(BuiltProgram.url(program))
    process.executableURL = executable
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["TERM"] = "xterm"
    environment["COREDATA_STRESS"] = nil
    process.environment = environment
    let end = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    (process.standardInput, process.standardOutput) = (end, end)
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// False if it does not end within half a minute.
  func waitForEnd(of process: Process) -> Bool {
    let end = Date() + 30
    while process.isRunning, Date() < end { usleep(10_000) }
    if process.isRunning { return false }
    // It has ended. Foundation frees a process only for a starter who asks like this.
    process.waitUntilExit()
    return true
  }

  /// Reads on until `text` has come; false if it does not within half a minute.
  func read(until text: String) -> Bool {
    let end = Date() + 30
    var said: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while Date() < end {
      var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 100) > 0 else { continue }
      let count = Foundation.read(master, &bytes, bytes.count)
      guard count > 0 else { return false }
      said += bytes.prefix(count)
      if String(decoding: said, as: UTF8.self).contains(text) { return true }
    }
    return false
  }
}
