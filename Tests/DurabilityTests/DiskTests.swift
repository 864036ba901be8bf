import CoreData
import DurabilitySupport
import Foundation
import TestDice
import Testing

/// The disk that keeps back what was not synced: that it loses what it may, and nothing else.
@Suite("Power cuts: the instrument", hasFaultyFiles)
struct DiskTests {
  /// What a hundred cuts behind `body` leave of a folder: the names with their contents, each outcome once.
  private func outcomes(_ body: (URL) throws -> Void) throws -> Set<[String]> {
    let folder = try makeFolder()
    let left = try makeFolder()
    defer { for url in [folder.url, left.url] { try? FileManager.default.removeItem(at: url) } }
    try Data("old".utf8).write(to: folder.url.appendingPathComponent("f"))
    var disk = try Disk(folder.url)
    for operation in try folder.record({ try body(folder.url) }) { disk.perform(operation) }
    var dice = Dice(state: 1)
    var found: Set<[String]> = []
    for number in 0..<100 {
      let all = Disk.Luck.allCases
      try disk.cut(all[number % all.count], &dice, into: left.url)
      let files = try contents(left.url).filter { !$0.key.isEmpty }
      found.insert(files.map { "\($0.key): \(String(decoding: $0.value.prefix(12), as: UTF8.self))" }.sorted())
    }
    return found
  }

  private func write(_ text: String, to url: URL, syncs: Bool) throws {
    let file = open(url.path, O_WRONLY | O_CREAT, 0o600)
    defer { close(file) }
    _ = text.withCString { pwrite(file, $0, strlen($0), 0) }
    if syncs { fsync(file) }
  }

  private func sync(_ folder: URL) {
    let descriptor = open(folder.path, O_RDONLY)
    fsync(descriptor)
    close(descriptor)
  }

  @Test("A write without a sync is there or not; with one it is there")
  func writes() throws {
    #expect(try outcomes { try write("new", to: $0 + "f", syncs: false) } == [["f: old"], ["f: new"]])
    #expect(try outcomes { try write("new", to: $0 + "f", syncs: true) } == [["f: new"]])
  }

  @Test("A name without its folder's sync is there or not, and so is what a renaming changed")
  func names() throws {
    #expect(try outcomes { try write("g", to: $0 + "g", syncs: true) } == [["f: old"], ["f: old", "g: g"]])
    let renamed = try outcomes { folder in
      try write("new", to: folder + "g", syncs: true)
      sync(folder)
      rename((folder + "g").path, (folder + "f").path)
    }
    #expect(renamed == [["f: new"], ["f: old", "g: new"]])
    let synced = try outcomes { folder in
      try write("new", to: folder + "g", syncs: true)
      rename((folder + "g").path, (folder + "f").path)
      sync(folder)
    }
    #expect(synced == [["f: new"]])
  }

  @Test("A renaming before the file's own sync may leave a file of zeros, or none of its bytes")
  func forgottenSync() throws {
    let found = try outcomes { folder in
      try write("new", to: folder + "g", syncs: false)
      rename((folder + "g").path, (folder + "f").path)
      sync(folder)
    }
    #expect(found == [["f: new"], ["f: "], ["f: \0\0\0"]])
  }

  @Test("A file that is cut short is there as it was or as short as it was cut, and never with zeros in it")
  func shortened() throws {
    let folder = try makeFolder()
    let left = try makeFolder()
    defer { for url in [folder.url, left.url] { try? FileManager.default.removeItem(at: url) } }
    let whole = Data(repeating: 65, count: 4 * Disk.sector)
    try whole.write(to: folder.url + "f")
    var disk = try Disk(folder.url)
    let recording = try folder.record {
      let file = open((folder.url + "f").path, O_WRONLY)
      defer { close(file) }
      ftruncate(file, 0)
    }
    for operation in recording { disk.perform(operation) }
    var dice = Dice(state: 3)
    var found: Set<Data> = []
    for luck in Disk.Luck.allCases {
      for _ in 0..<40 {
        try disk.cut(luck, &dice, into: left.url)
        found.insert(try Data(contentsOf: left.url + "f"))
      }
    }
    #expect(found == [whole, Data()])
  }

  @Test("A write longer than a sector may be torn between sectors, and nowhere else")
  func torn() throws {
    let folder = try makeFolder()
    let left = try makeFolder()
    defer { for url in [folder.url, left.url] { try? FileManager.default.removeItem(at: url) } }
    try Data(repeating: 65, count: 2048).write(to: folder.url + "f")
    var disk = try Disk(folder.url)
    let recording = try folder.record {
      try write(String(repeating: "B", count: 2048), to: folder.url + "f", syncs: false)
    }
    for operation in recording { disk.perform(operation) }
    var dice = Dice(state: 2)
    var found: Set<String> = []
    for _ in 0..<200 {
      try disk.cut(.half, &dice, into: left.url)
      let bytes = try Data(contentsOf: left.url + "f")
      let sectors = stride(from: 0, to: 2048, by: 512).map { Set(bytes[$0..<($0 + 512)]) }
      #expect(sectors.allSatisfy { $0.count == 1 })
      found.insert(sectors.map { $0 == [65] ? "A" : "B" }.joined())
    }
    #expect(found.count == 16)
  }
}

private func + (folder: URL, name: String) -> URL { folder.appendingPathComponent(name) }
