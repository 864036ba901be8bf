import Foundation
import OutputFiles
import Testing

@Suite("Files that tools write")
final class OutputFileTests {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-output-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  func status(_ name: String) -> stat {
    var status = stat()
    lstat(path(name), &status)
    return status
  }

  @Test("A new file is there when it is finished, and not before; an unfinished one leaves nothing")
  func new() throws {
    do {
      let file = try OutputFile(path("a"))
      try file.write(Data(repeating: 65, count: 100_000))
      #expect(text("a") == nil)
    }
    #expect(try names() == [])
    let file = try OutputFile(path("a"))
    try file.write(Data("one ".utf8))
    try file.write(Data("two".utf8))
    try file.finish()
    #expect(text("a") == "one two")
    #expect(try names() == ["a"])
  }

  @Test("A file that is there is replaced as a whole, and keeps its mode")
  func replaced() throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: path("a")))
    chmod(path("a"), 0o640)
    let before = status("a").st_ino
    do {
      let file = try OutputFile(path("a"))
      try file.write(Data("half".utf8))
    }
    #expect(text("a") == "old")
    try OutputFile.write(Data("new".utf8), to: path("a"))
    #expect(text("a") == "new")
    #expect(status("a").st_mode & 0o7777 == 0o640)
    #expect(status("a").st_ino != before)
    #expect(try names() == ["a"])
  }

  @Test("A link stays a link, and what it leads to is written, also through a second one and to nothing")
  func links() throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: path("a")))
    symlink("a", path("b"))
    symlink(path("b"), path("c"))
    try OutputFile.write(Data("new".utf8), to: path("c"))
    #expect(text("a") == "new")
    symlink("fresh", path("dangling"))
    try OutputFile.write(Data("first".utf8), to: path("dangling"))
    #expect(text("fresh") == "first")
    for name in ["b", "c", "dangling"] { #expect(status(name).st_mode & S_IFMT == S_IFLNK, "\(name)") }
    symlink("round", path("round"))
    #expect(throws: OutputFileProblem.self) { try OutputFile.write(Data("x".utf8), to: path("round")) }
  }

  @Test("A device stays a device, by its own path and by a link")
  func device() throws {
    symlink("/dev/null", path("null"))
    try OutputFile.write(Data("gone".utf8), to: path("null"))
    try OutputFile.write(Data("gone".utf8), to: "/dev/null")
    var status = stat()
    lstat("/dev/null", &status)
    #expect(status.st_mode & S_IFMT == S_IFCHR)
    #expect(try names() == ["null"])
  }

  @Test("A pipe gets the bytes")
  func pipe() throws {
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    // Both ends, so that opening waits for nobody.
    let reader = open(path("pipe"), O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    try OutputFile.write(Data("through".utf8), to: path("pipe"))
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = read(reader, &bytes, 20)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "through")
    #expect(status("pipe").st_mode & S_IFMT == S_IFIFO)
  }

  @Test("What can't be written is named, with the system's reason")
  func refused() throws {
    #expect(throws: OutputFileProblem.self) { try OutputFile(folder.path) }
    do {
      try OutputFile.write(Data(), to: path("none/a"))
      Issue.record("A file was written into a folder that is not there.")
    } catch {
      #expect("\(error)" == "The file \(path("none/a")) cannot be written: no such file or directory.")
    }
  }
}
