import Foundation

/// The texts of an XML store, in which Apple's framework writes characters by number, beside what XML itself has:
///
/// | in the file | character |
/// |---|---|
/// | `\u2600`, `\u3c00`, `\u3e00` | `&`, `<`, `>` |
/// | `\u5c00` | `\`, as it is written here |
///
/// The digits are those of a UTF-16 unit with its two bytes swapped. Any unit is read, and two halves of a surrogate
/// pair are one character. Another backslash, and half a pair alone, stand for themselves.
package enum StoreText {
  private static let backslash = UInt8(ascii: "\\")

  /// How many bytes `\u2600` has.
  private static let length = 6

  /// The text with such numbers replaced; nil if it has no backslash.
  package static func decoded(_ text: MarkupText) -> [UInt8]? {
    guard let start = text.baseAddress, memchr(start, Int32(backslash), text.count) != nil else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var place = 0
    while place < text.count {
      if let (scalar, end) = character(of: text, at: place) {
        output.append(contentsOf: scalar.utf8)
        place = end
      } else {
        output.append(text[place])
        place += 1
      }
    }
    return output
  }

  /// The text with such numbers replaced.
  static func decoded(_ text: String) -> String {
    var text = text
    let bytes = text.withUTF8 { decoded($0) }
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// The character whose number begins at a position, and where the number ends; nil if none begins there.
  private static func character(of text: MarkupText, at place: Int) -> (scalar: Unicode.Scalar, end: Int)? {
    guard let first = unit(of: text, at: place) else { return nil }
    let next = place + length
    if let scalar = Unicode.Scalar(first) { return (scalar, next) }
    guard UTF16.isLeadSurrogate(first), let second = unit(of: text, at: next), UTF16.isTrailSurrogate(second) else {
      return nil
    }
    let beyond: UInt32 = (UInt32(first) & 0x3FF) << 10 | UInt32(second) & 0x3FF
    return Unicode.Scalar(0x10000 + beyond).map { (scalar: $0, end: next + length) }
  }

  /// The UTF-16 unit at a position; nil unless a backslash, `u` and four digits stand there.
  private static func unit(of text: MarkupText, at place: Int) -> UInt16? {
    guard place + length <= text.count, text[place] == backslash, text[place + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var swapped: UInt16 = 0
    for byte in text[place + 2..<place + length] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      swapped = swapped << 4 | UInt16(digit)
    }
    return swapped.byteSwapped
  }
}
