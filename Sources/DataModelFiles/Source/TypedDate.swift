import Foundation

/// Reads dates that people typed into Xcode before version 4, which stored their text.
///
/// Numbers with slashes are in the order of the United States: month, day, year. A date without a time is at noon, as
/// in Apple's natural-language dates. A date without a time zone is in Greenwich time, so that a model means the same
/// wherever it is read.
enum TypedDate {
  /// Seconds since 2001-01-01 00:00 UTC; nil if the text isn't such a date.
  static func seconds(_ text: String) -> Double? {
    var words = text.replacingOccurrences(of: ",", with: " ").split(whereSeparator: \.isWhitespace).map {
      $0.lowercased()
    }
    if words.isEmpty { return nil }
    var time: (hour: Int, minute: Int, second: Int) = (12, 0, 0)
    if let place = words.firstIndex(where: { $0.contains(":") }) {
      guard let found = clock(words.remove(at: place), half: half(at: place, of: &words)) else { return nil }
      time = found
    }
    var zone = 0
    if let last = words.last, words.count > 1, let offset = offset(last) {
      zone = offset
      words.removeLast()
    }
    guard let (year, month, day) = date(words) else { return nil }
    var components = DateComponents(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    components.calendar = calendar
    guard components.isValidDate, let date = calendar.date(from: components) else { return nil }
    return date.timeIntervalSinceReferenceDate - Double(zone)
  }

  private static func date(_ words: [String]) -> (year: Int, month: Int, day: Int)? {
    if words.count == 1 {
      let separators: [Character] = ["/", "-", "."]
      guard let separator = separators.first(where: words[0].contains) else { return nil }
      let parts = words[0].split(separator: separator, omittingEmptySubsequences: false)
      let numbers = parts.compactMap { number(String($0)) }
      guard parts.count == 3, numbers.count == 3 else { return nil }
      if parts[0].count == 4 { return (numbers[0], numbers[1], numbers[2]) }
      return (year(numbers[2], digits: parts[2].count), numbers[0], numbers[1])
    }
    guard words.count == 3, let place = words.firstIndex(where: { self.month($0) != nil }), place < 2 else {
      return nil
    }
    var rest = words
    guard let number = self.month(rest.remove(at: place)) else { return nil }
    for ending in ["st", "nd", "rd", "th"] where rest[0].hasSuffix(ending) { rest[0].removeLast(2) }
    guard let day = self.number(rest[0]), let year = self.number(rest[1]) else { return nil }
    return (self.year(year, digits: rest[1].count), number, day)
  }

  private static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { 48...57 ~= $0 } && text.count <= 4 ? Int(text) : nil
  }

  private static func year(_ number: Int, digits: Int) -> Int {
    digits > 2 ? number : number + (number < 50 ? 2000 : 1900)
  }

  private static func month(_ word: String) -> Int? {
    let names = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december",
    ]
    guard word.count >= 3 else { return nil }
    return names.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
  }

  /// Removes AM or PM from the words. It stands where the time was.
  private static func half(at place: Int, of words: inout [String]) -> String? {
    guard words.indices.contains(place), ["am", "pm", "a.m.", "p.m."].contains(words[place]) else { return nil }
    return String(words.remove(at: place).prefix(1))
  }

  private static func clock(_ word: String, half: String?) -> (hour: Int, minute: Int, second: Int)? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
    guard (2...3).contains(parts.count), var hour = parts[0], let minute = parts[1],
      let second = parts.count == 3 ? parts[2] : 0, minute < 60, second < 60
    else { return nil }
    if let half {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half == "p" ? 12 : 0)
    }
    return hour < 24 ? (hour, minute, second) : nil
  }

  /// Seconds east of Greenwich.
  private static func offset(_ word: String) -> Int? {
    if ["gmt", "utc", "z"].contains(word) { return 0 }
    guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
    let digits = word.dropFirst().replacingOccurrences(of: ":", with: "")
    guard digits.count == 4, let value = number(digits), value / 100 < 15, value % 100 < 60 else { return nil }
    return (sign == "-" ? -1 : 1) * (value / 100 * 3600 + value % 100 * 60)
  }
}
