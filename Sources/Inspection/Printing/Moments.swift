import Foundation

/// Writes times in ISO 8601 and UTC, with a fraction of a second only if there is one.
enum Moments {
  static func text(secondsSince2001 seconds: Double) -> String {
    guard seconds.isFinite else { return "\(seconds)" }
    let unix = seconds + Date.timeIntervalBetween1970AndReferenceDate
    // Files hold binary fractions, which are exact to about a millionth of a second.
    var micros = (unix * 1_000_000).rounded()
    guard abs(micros) < 9e18 else { return "\(seconds) seconds since 2001" }
    micros += 0
    let total = Int64(micros)
    let whole = total >= 0 ? total / 1_000_000 : -((-total + 999_999) / 1_000_000)
    let fraction = Int(total - whole * 1_000_000)
    let days = whole >= 0 ? whole / 86_400 : -((-whole + 86_399) / 86_400)
    let rest = Int(whole - days * 86_400)
    let (year, month, day) = civil(days)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    text += "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    if fraction > 0 {
      var digits = padded(fraction, 6)
      while digits.last == "0" { digits.removeLast() }
      text += "." + digits
    }
    return text + "Z"
  }

  static func text(_ date: Date) -> String { text(secondsSince2001: date.timeIntervalSinceReferenceDate) }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(abs(number))
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The date in the Gregorian calendar for a number of days after 1970-01-01. It counts in eras of 400 years that
  /// begin in March, so that a leap day is the last day of its year.
  private static func civil(_ days: Int64) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), Int(day))
  }
}
