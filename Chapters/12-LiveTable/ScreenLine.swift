/// A line of the screen and what it is; how that looks is decided last.
public struct ScreenLine: Equatable, Sendable {
  public enum Style: Sendable {
    case title, heading, section, row, changed, selected, status
  }

  public let text: String
  public let style: Style

  public init(_ text: String, _ style: Style = .row) {
    self.text = text
    self.style = style
  }

  /// The text in exactly `columns`, shortened or filled with blanks. What would move the cursor
  /// is left out.
  static func fit(_ text: String, _ columns: Int) -> String {
    var result = ""
    var used = 0
    for character in text
    where !character.unicodeScalars.contains(where: {
      $0.properties.generalCategory == .control
    }) {
      let width = character.isWide ? 2 : 1
      if used + width > columns { break }
      result.append(character)
      used += width
    }
    return result + String(repeating: " ", count: max(0, columns - used))
  }
}

extension Character {
  /// Whether a terminal gives it two columns: the scripts and symbols of East Asia, and emoji.
  fileprivate var isWide: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return true
    default:
      return scalar.properties.isEmojiPresentation
    }
  }
}

/// What has to be sent to a terminal so that it shows other lines than before.
public enum ScreenUpdate {
  //> update
  /// The lines that differ, each with its place, counted from 0.
  ///
  /// - Parameter old: What the terminal shows; empty if that is unknown.
  public static func changes(
    from old: [ScreenLine], to new: [ScreenLine]
  ) -> [(row: Int, line: ScreenLine)] {
    new.enumerated().filter { $0.offset >= old.count || old[$0.offset] != $0.element }
      .map { (row: $0.offset, line: $0.element) }
  }

  /// The same, as a terminal wants it: the line's start, its look, its text.
  public static func bytes(
    from old: [ScreenLine], to new: [ScreenLine], colors: Bool
  ) -> String {
    changes(from: old, to: new)
      .map { "\u{1B}[\($0.row + 1);1H\(code($0.line.style, colors))\($0.line.text)\u{1B}[0m" }
      .joined()
  }
  //< update

  /// Without colours there are still bold and reversed letters, which are none.
  private static func code(_ style: ScreenLine.Style, _ colors: Bool) -> String {
    switch style {
    case .title: "\u{1B}[1m"
    case .heading: "\u{1B}[4m"
    case .section: colors ? "\u{1B}[1;36m" : "\u{1B}[1m"
    case .row: ""
    case .changed: colors ? "\u{1B}[33m" : ""
    case .selected: "\u{1B}[7m"
    case .status: colors ? "\u{1B}[2m" : ""
    }
  }
}
