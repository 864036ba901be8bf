import Foundation

/// Writes numbers, dates and sizes as text.
enum Figures {
  /// Whole numbers, and all numbers from 100 on, without decimal places; others with one or two: `0.21`, `12.3`,
  /// `1,240`.
  static func text(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return grouped(Int(value)) }
    if abs(value) >= 100 { return grouped(Int(value.rounded())) }
    return fixed(value, abs(value) >= 10 ? 1 : 2)
  }

  static func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), value)
  }

  /// A number with a comma every three digits.
  static func grouped(_ number: Int) -> String {
    let digits = String(abs(number))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "−" : "") + text
  }

  /// A ratio such as `×1.40`. From ten on it has no decimal places.
  static func ratio(_ value: Double) -> String { "×" + fixed(value, value >= 10 ? 0 : 2) }

  /// A date such as `22 November 2026, 15:32 UTC`.
  static func date(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "d MMMM yyyy, HH:mm 'UTC'"
    return formatter.string(from: date)
  }

  /// Bytes in whole gigabytes: `25 GB`.
  static func memory(_ bytes: Int) -> String { "\(Int((Double(bytes) / 1e9).rounded())) GB" }
}
