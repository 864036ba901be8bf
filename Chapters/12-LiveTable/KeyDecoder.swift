/// A key of the keyboard, as far as the table knows them.
public enum Key: Equatable, Sendable {
  case character(Character)
  case up, down, pageUp, pageDown, home, end
  case enter, backspace, escape
  /// Control-C, or the end of the input.
  case interrupt
}

/// Makes keys out of what a terminal sends: bytes of UTF-8, and for keys without a letter a
/// sequence that begins with the byte of Escape. What is cut off at the end of the bytes waits
/// for the next ones.
public struct KeyDecoder {
  private var pending: [UInt8] = []

  public init() {}

  /// Whether a sequence has begun, or the user pressed Escape. If no byte follows, it was
  /// Escape.
  public var isWaiting: Bool { !pending.isEmpty }

  public mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = next() {
      pending.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// No more bytes came: an Escape that waits is one.
  public mutating func flush() -> [Key] {
    defer { pending = [] }
    return pending == [0x1B] ? [.escape] : []
  }

  /// The first key that is complete, nil for one that has no meaning, and how many bytes it
  /// has.
  private func next() -> (Key?, Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return sequence()
    case 0x03, 0x04: return (.interrupt, 1)
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0..<0x20: return (nil, 1)
    default: return character(first)
    }
  }

  private func character(_ first: UInt8) -> (Key?, Int)? {
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    let isLead = first < 0x80 || (0xC2...0xF4).contains(first)
    let rest = pending.prefix(length).dropFirst()
    guard isLead, rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
    guard pending.count >= length else { return nil }
    let text = String(decoding: pending.prefix(length), as: UTF8.self)
    guard text.count == 1, let character = text.first, character != "\u{FFFD}" else {
      return (nil, 1)
    }
    return (.character(character), length)
  }

  /// `ESC [ A` or `ESC O A`, perhaps with numbers before the letter.
  private func sequence() -> (Key?, Int)? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
      return (.escape, 1)
    }
    guard
      let end = pending.indices.dropFirst(2).first(where: {
        (0x40...0x7E).contains(pending[$0])
      })
    else { return nil }
    let body = String(decoding: pending[2...end], as: UTF8.self)
    let keys: [String: Key] = [
      "A": .up, "B": .down, "H": .home, "F": .end, "1~": .home, "4~": .end, "5~": .pageUp,
      "6~": .pageDown,
    ]
    return (keys[body], end + 1)
  }
}
