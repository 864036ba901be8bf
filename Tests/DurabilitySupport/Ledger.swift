import Foundation
import TestDice

/// What a store holds after a number of saves: a pure function of a seed, in plain values.
///
/// `advance()` says what the next save changes; `LedgerContext` does the same to managed objects.
public struct Ledger: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case author = "Author"
    case book = "Book"
    case novel = "Novel"
    case tag = "Tag"
    case chapter = "Chapter"
  }

  public struct Item: Sendable {
    public let kind: Kind
    public let number: Int
    /// The save that last changed it.
    public var stamp: Int
    public var name = ""
    /// The size of the cover's bytes, and the save that set it.
    public var cover: (size: Int, stamp: Int)?
    public var author: Int?
    public var tags: Set<Int> = []
    public var chapters: [Int] = []

    var isBook: Bool { kind == .book || kind == .novel }
  }

  public enum Change: Sendable {
    case insert(Kind, Int)
    case rename(Int, String)
    case cover(Int, size: Int?)
    case author(Int, Int?)
    /// Adds the tag, or removes it.
    case tag(Int, Int, isOn: Bool)
    case chapters(Int, [Int])
    case delete(Int)
  }

  public let seed: UInt64
  /// Whether some covers are so long that they go into files.
  public let hasFiles: Bool
  public private(set) var saves = 0
  public private(set) var items: [Int: Item] = [:]
  private var lastNumber = 0

  private static let itemLimit = 30

  public init(seed: UInt64, hasFiles: Bool) {
    self.seed = seed
    self.hasFiles = hasFiles
  }

  /// The state after `saves` saves.
  public init(seed: UInt64, hasFiles: Bool, saves: Int) {
    self.init(seed: seed, hasFiles: hasFiles)
    for _ in 0..<saves { _ = advance() }
  }

  /// The changes of the next save.
  ///
  /// - Parameter withFile: adds one book with a long cover.
  public mutating func advance(withFile: Bool = false) -> [Change] {
    saves += 1
    var random = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(saves))
    var changes: [Change] = []
    let count = saves == 1 ? 8 : random.below(5) + 1
    for _ in 0..<count {
      let change = next(&random)
      apply(change)
      changes.append(change)
      if case .insert(_, let number) = change {
        let name = Change.rename(number, name(number, &random))
        apply(name)
        changes.append(name)
      }
    }
    if withFile {
      lastNumber += 1
      for change in [Change.insert(.novel, lastNumber), .cover(lastNumber, size: 150_000)] {
        apply(change)
        changes.append(change)
      }
    }
    return changes
  }

  private mutating func next(_ random: inout Dice) -> Change {
    let numbers = items.keys.sorted()
    let books = numbers.filter { items[$0]!.isBook }
    func any(_ kind: Kind) -> Int? { random.any(numbers.filter { items[$0]!.kind == kind }) }
    let choice = random.below(100)
    if numbers.count >= Ledger.itemLimit, choice < 35 { return .delete(random.any(numbers)!) }
    switch choice {
    case 35..<50:
      if let number = random.any(numbers) { return .rename(number, name(number, &random)) }
    case 50..<60:
      if let book = random.any(books) {
        let sizes = [nil, 20, 900] + (hasFiles ? [140_000, 180_000] : [3000])
        return .cover(book, size: random.any(sizes)!)
      }
    case 60..<72:
      if let book = random.any(books) { return .author(book, random.below(5) == 0 ? nil : any(.author)) }
    case 72..<82:
      if let book = random.any(books), let tag = any(.tag) {
        return .tag(book, tag, isOn: !items[book]!.tags.contains(tag))
      }
    case 82..<92:
      if let book = random.any(books) {
        let chapters = numbers.filter { items[$0]!.kind == .chapter && random.below(2) == 0 }
        return .chapters(book, random.shuffled(chapters))
      }
    case 92...:
      if let number = random.any(numbers) { return .delete(number) }
    default: break
    }
    lastNumber += 1
    return .insert(random.any(Kind.allCases)!, lastNumber)
  }

  /// A name, mostly short, sometimes longer than a page.
  private func name(_ number: Int, _ random: inout Dice) -> String {
    let length = random.below(20) == 0 ? 6000 : random.below(200)
    return "\(number)-\(saves)-" + String(repeating: "x", count: length)
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .insert(let kind, let number):
      items[number] = Item(kind: kind, number: number, stamp: saves)
    case .rename(let number, let name):
      items[number]!.name = name
      items[number]!.stamp = saves
    case .cover(let book, let size):
      items[book]!.cover = size.map { ($0, saves) }
      items[book]!.stamp = saves
    case .author(let book, let author):
      items[book]!.author = author
      items[book]!.stamp = saves
    case .tag(let book, let tag, let isOn):
      if isOn { items[book]!.tags.insert(tag) } else { items[book]!.tags.remove(tag) }
      items[book]!.stamp = saves
    case .chapters(let book, let chapters):
      for number in items.keys { items[number]!.chapters.removeAll { chapters.contains($0) } }
      items[book]!.chapters = chapters
      items[book]!.stamp = saves
    case .delete(let number):
      items[number] = nil
      for other in items.keys {
        if items[other]!.author == number { items[other]!.author = nil }
        items[other]!.tags.remove(number)
        items[other]!.chapters.removeAll { $0 == number }
      }
    }
  }

  /// Everything, one line for each item.
  public var lines: [String] {
    ["saves \(saves)"]
      + items.keys.sorted().map { number in
        let item = items[number]!
        return Ledger.line(
          item.kind.rawValue, number, item.name, item.stamp, item.cover.map { "\($0.size)/\($0.stamp)" },
          item.author, item.tags.sorted(), item.chapters)
      }
  }

  static func line(
    _ kind: String, _ number: Int, _ name: String, _ stamp: Int, _ cover: String?, _ author: Int?, _ tags: [Int],
    _ chapters: [Int]
  ) -> String {
    "\(kind) \(number) \(name) \(stamp) cover \(cover ?? "-") author \(author ?? 0) tags \(tags) chapters \(chapters)"
  }

  /// The bytes of a cover. They contain the book's number and the save, so that no other cover has them.
  static func coverBytes(number: Int, stamp: Int, size: Int) -> Data {
    var data = Data(count: size)
    data.withUnsafeMutableBytes { bytes in
      var word = UInt64(number) << 32 | UInt64(stamp)
      // Not a `stride`: a debug build takes ten times as long for it, and every check of a store makes its covers.
      var offset = 0
      while offset + 8 <= size {
        bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        word = word &+ 0x1_0000_0001
        offset += 8
      }
    }
    return data
  }

  /// "size/stamp" for the complete bytes of a cover; otherwise a text that no ledger has.
  static func coverText(_ data: Data, number: Int) -> String {
    guard data.count >= 8 else { return "cut to \(data.count)" }
    let word = data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let stamp = Int(word & 0xFFFF_FFFF)
    guard Int(word >> 32) == number, coverBytes(number: number, stamp: stamp, size: data.count) == data else {
      return "broken, \(data.count) bytes"
    }
    return "\(data.count)/\(stamp)"
  }
}

extension Dice {
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  public mutating func any<Element>(_ list: [Element]) -> Element? {
    list.isEmpty ? nil : list[below(list.count)]
  }

  mutating func shuffled<Element>(_ list: [Element]) -> [Element] { list.shuffled(using: &self) }
}
