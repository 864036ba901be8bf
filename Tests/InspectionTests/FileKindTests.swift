import Foundation
import Inspection
import Testing

@Suite("Telling what a file is")
struct FileKindTests {
  private let folder = TemporaryFolder()

  private func sentence(_ name: String, _ bytes: Data) throws -> String {
    let url = folder.file(name)
    try bytes.write(to: url)
    let found = failure { _ = try open(url) }
    return (found?.sentence ?? "no failure").replacingOccurrences(of: url.path, with: "FILE")
  }

  @Test("What is neither a store nor a model is told in one sentence")
  func strangers() throws {
    #expect(
      try sentence("a", Data("hello".utf8)) == "The file FILE is neither a Core Data store nor a model.")
    #expect(try sentence("b", Data()) == "The file FILE is empty, and so neither a store nor a model.")
    #expect(
      try sentence("c", Data("<?xml version=\"1.0\"?><!-- a --><html></html>".utf8))
        == "The file FILE is neither a store nor a model: it is XML whose first element is <html>.")
    let plist = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    #expect(
      try sentence("d", plist) == "The file FILE is neither a store nor a model: it is some property list.")
    #expect(try sentence("e", plist.dropLast(4)).contains("truncated or damaged"))
    let missing = folder.file("missing")
    #expect(failure { _ = try open(missing) }?.sentence == "There is no file \(missing.path).")
    #expect(
      failure { _ = try FileKind.find(at: folder.url) }?.sentence.contains("neither a store nor a model")
        == true)
  }

  @Test("A database that is no store, a truncated store and an encrypted file are told apart")
  func databases() throws {
    let plain = folder.file("plain.db")
    try run("CREATE TABLE A (B)", in: plain)
    #expect(failure { _ = try open(plain) }?.sentence.contains("there is no table Z_METADATA in it") == true)

    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    let bytes = try Data(contentsOf: store)
    #expect(
      try sentence("cut", bytes.prefix(20_000)).hasPrefix("The file FILE is truncated: its header speaks of"))
    #expect(
      try sentence("shorter", bytes.prefix(300)).hasPrefix("The file FILE is truncated: it has 300 bytes"))

    var state: UInt64 = 7
    let noise = Data(
      (0..<8192).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      })
    #expect(try sentence("cipher", noise).contains("looks encrypted"))
  }

  @Test("A store whose name is that of a text is a store")
  func names() throws {
    let url = folder.file("notes.txt")
    try Library.make(at: url)
    #expect(try FileKind.find(at: url).kind == .sqliteStore)
  }
}
