import DurabilitySupport
import Foundation
import TestDice

/// Changes in an XML document's values and elements, most of which leave it well-formed.
enum TextDamage {
  private static let values = [
    "", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e400", "-1e400", "nan",
    "inf", "YES", "NO", "x", "a\"b", "&amp;", "&lt;!--", "..", "../../x", "/etc/passwd", "';--", "\u{e9}\u{301}",
    "SELF",
    "((((((((((", "NOT NOT NOT NOT a", "SUBQUERY(a, $x, $x.b > 1)", "z1 z1 z1", "z0", "z99999999999999999999",
  ]

  static func apply(to data: Data, seed: UInt64) -> (data: Data, description: String) {
    var random = Dice(state: seed &* 0xA24B_AED4_963E_E407 &+ 5)
    var lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
    var words: [String] = []
    for _ in 0...random.below(3) {
      let place = random.below(lines.count)
      switch random.below(8) {
      case 0:
        words.append("line \(place) is gone")
        lines.remove(at: place)
        if lines.isEmpty { lines = [""] }
      case 1:
        let target = random.below(lines.count)
        words.append("line \(place) once more at \(target)")
        lines.insert(lines[place], at: target)
      case 2:
        let other = random.below(lines.count)
        words.append("lines \(place) and \(other) change places")
        lines.swapAt(place, other)
      default:
        let value = random.any(values)!
        guard let changed = replaced(lines[place], by: value, &random) else { continue }
        words.append("line \(place): \(changed.prefix(160))")
        lines[place] = changed
      }
    }
    return (Data(lines.joined(separator: "\n").utf8), "text: " + words.joined(separator: "; "))
  }

  /// The line with another value in one of its attributes, or between its tags.
  private static func replaced(_ line: String, by value: String, _ random: inout Dice) -> String? {
    var parts = line.components(separatedBy: "\"")
    if parts.count > 2, random.below(4) > 0 {
      let index = 1 + 2 * random.below(parts.count / 2)
      parts[index] = value
      return parts.joined(separator: "\"")
    }
    guard let start = line.firstIndex(of: ">"), let end = line[start...].firstIndex(of: "<") else { return nil }
    return line[...start] + value + line[end...]
  }
}
