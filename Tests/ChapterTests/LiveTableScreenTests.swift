import CoreData
import Foundation
import Testing

@testable import LiveTableChapter

@Suite("Chapter 12: the screen of the live table")
@MainActor
struct LiveTableScreenTests {
  private let container: NSPersistentContainer

  init() throws {
    container = NSPersistentContainer(name: "WaitingRoom")
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
  }

  /// Sections with the given numbers of patients, whose names are the letters of the alphabet.
  private func list(_ counts: [Int]) throws -> ShownList {
    var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".makeIterator()
    for (index, count) in counts.enumerated() {
      for item in 0..<count {
        Reception.admit(
          Newcomer(String(letters.next()!), "cough", Urgency(rawValue: Int16(index + 1))!),
          at: WaitingRoomScript.fixedTime + Double(item) * 60, in: container.viewContext)
      }
    }
    try container.viewContext.save()
    return try PatientList(container.viewContext, timeZone: TimeZone(secondsFromGMT: 0)!).shown
  }

  private func texts(_ screen: inout TableScreen) -> [String] {
    screen.lines().map { $0.text.trimmingCharacters(in: .whitespaces) }
  }

  @Test("Sections and rows stand below two lines of headings; the last line says what to press")
  func lines() throws {
    var screen = TableScreen(columns: 90, lines: 8)
    screen.show(try list([1, 2]))
    #expect(
      texts(&screen) == [
        "Waiting room: 3 waiting", "Arrived  Name              Complaint           Room", "Immediate (1)",
        ">   08:00    A                 cough", "Very urgent (2)", "08:00    B                 cough",
        "08:01    C                 cough",
        "Up/Down select  a admit  e/E urgency  r room  d discharge  / filter  q quit",
      ])
  }

  @Test("Every size has as many lines, each as wide as it is", arguments: 0...9, [0, 1, 2, 40, 200])
  func sizes(lineCount: Int, columns: Int) throws {
    var screen = TableScreen(columns: columns, lines: lineCount)
    screen.show(try list([2, 3]))
    screen.moveSelection(by: 4)
    let lines = screen.lines()
    #expect(lines.count == lineCount)
    #expect(lines.allSatisfy { $0.text.count == columns })
    if lineCount > 3, columns > 5 { #expect(lines.contains { $0.style == .selected }) }
  }

  @Test("The selected row is in sight wherever it is, and its section's title with the first one")
  func scrolling() throws {
    var screen = TableScreen(columns: 40, lines: 7)
    screen.show(try list([3, 4, 3]))
    for _ in 0..<9 {
      screen.moveSelection(by: 1)
      #expect(screen.lines().contains { $0.style == .selected })
    }
    #expect(texts(&screen)[5].contains("J"))
    for _ in 0..<9 {
      screen.moveSelection(by: -1)
      #expect(screen.lines().contains { $0.style == .selected })
    }
    #expect(texts(&screen)[2] == "Immediate (3)")
    screen.moveSelection(by: .max / 2)
    screen.moveSelection(by: .min / 2)
    #expect(screen.selectedRow?.name == "A")
  }

  @Test("The selection stays with the patient; who is gone leaves it to who stands there now")
  func selection() throws {
    var screen = TableScreen(columns: 40, lines: 20)
    let all = try list([3, 2])
    screen.show(all)
    screen.moveSelection(by: 2)
    #expect(screen.selectedRow?.name == "C" && screen.selectedUrgency == .immediate)
    let c = all.sections[0].rows[2]
    let moved = ShownList([
      .init(name: "1", rows: Array(all.sections[0].rows.prefix(2))),
      .init(name: "2", rows: all.sections[1].rows + [c]),
    ])
    screen.show(moved)
    #expect(screen.selectedRow?.name == "C" && screen.selectedUrgency == .veryUrgent)
    screen.show(ShownList([.init(name: "1", rows: Array(all.sections[0].rows.prefix(2)))]))
    #expect(screen.selectedRow?.name == "B")
    screen.show(ShownList())
    #expect(screen.selection == nil && screen.selectedUrgency == nil)
    screen.moveSelection(by: 1)
    #expect(screen.selection == nil)
  }

  @Test("Only lines that differ are sent; after a new size all are")
  func update() throws {
    var screen = TableScreen(columns: 40, lines: 8)
    screen.show(try list([2, 1]))
    let before = screen.lines()
    #expect(ScreenUpdate.changes(from: [], to: before).count == 8)
    #expect(ScreenUpdate.bytes(from: before, to: before, colors: true) == "")
    screen.moveSelection(by: 1)
    #expect(ScreenUpdate.changes(from: before, to: screen.lines()).map(\.row) == [3, 4])
  }

  @Test("Without colours nothing sent is a colour")
  func noColors() throws {
    var screen = TableScreen(columns: 40, lines: 8)
    screen.show(try list([2, 1]))
    #expect(ScreenUpdate.bytes(from: [], to: screen.lines(), colors: true).contains("36m"))
    let plain = ScreenUpdate.bytes(from: [], to: screen.lines(), colors: false)
    // What is left is bold, underlined, reversed, and the end of it.
    let codes = plain.components(separatedBy: "\u{1B}[").map { $0.prefix { $0.isNumber || $0 == ";" } }
    #expect(Set(codes.filter { !$0.isEmpty && !$0.contains(";") }) == ["0", "1", "4", "7"])
  }

  @Test(
    "Texts are cut and filled by columns; what would move the cursor is left out",
    arguments: [
      ("abc", "abc  "), ("abcdef", "abcde"), ("日本語", "日本 "), ("né\u{301}e", "né\u{301}e  "),
      ("a\u{1B}[2Jb", "a[2Jb"), ("\n\t\u{7F}\u{9B}x", "x    "), ("", "     "),
    ])
  func fit(text: String, expected: String) {
    #expect(ScreenLine.fit(text, 5) == expected)
  }

  @Test("Keys come out of bytes, however these are cut")
  func keys() {
    let bytes: [UInt8] =
      [0x61] + Array("é日".utf8) + [0x1B, 0x5B, 0x41, 0x1B, 0x4F, 0x42, 0x1B, 0x5B, 0x35, 0x7E, 0x1B, 0x5B]
      + [0x31, 0x3B, 0x35, 0x44, 0x0D, 0x7F, 0x01, 0xFF, 0xE6, 0x97, 0x03]
    let keys: [Key] = [
      .character("a"), .character("é"), .character("日"), .up, .down, .pageUp, .enter, .backspace, .interrupt,
    ]
    var whole = KeyDecoder()
    #expect(whole.keys(bytes) == keys)
    var single = KeyDecoder()
    #expect(bytes.flatMap { single.keys([$0]) } == keys)
    #expect(!single.isWaiting)
  }

  @Test("Escape waits for what may follow, and is a key if nothing does")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B]) == [] && decoder.isWaiting)
    #expect(decoder.flush() == [.escape] && !decoder.isWaiting)
    #expect(decoder.keys([0x1B, 0x71]) == [.escape, .character("q")])
    #expect(decoder.keys([0x1B]) == [])
    #expect(decoder.keys([0x5B, 0x42]) == [.down])
  }
}
