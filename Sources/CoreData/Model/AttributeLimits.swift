import Foundation

/// The limits a data model file states for an attribute's value, and the check of a value against them.
/// A nil field is no limit. All limits are inclusive.
struct AttributeLimits: Equatable {
  var minNumber: Decimal?
  var maxNumber: Decimal?
  var minDate: Date?
  var maxDate: Date?
  /// In characters as `NSString.length` counts them: UTF-16 code units.
  var minLength: Int?
  var maxLength: Int?
  /// A regular expression that the whole string must match.
  var pattern: String?

  init(
    minNumber: Decimal? = nil, maxNumber: Decimal? = nil, minDate: Date? = nil, maxDate: Date? = nil,
    minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil
  ) {
    self.minNumber = minNumber
    self.maxNumber = maxNumber
    self.minDate = minDate
    self.maxDate = maxDate
    self.minLength = minLength
    self.maxLength = maxLength
    self.pattern = pattern
  }

  /// One limit that a value breaks.
  enum Violation: Equatable {
    case numberTooSmall(limit: Decimal)
    case numberTooLarge(limit: Decimal)
    case dateTooSoon(limit: Date)
    case dateTooLate(limit: Date)
    case stringTooShort(limit: Int)
    case stringTooLong(limit: Int)
    case stringPatternMatching(pattern: String)

    /// The code of the error that reports it.
    var code: Int {
      switch self {
      case .numberTooSmall: return NSValidationNumberTooSmallError
      case .numberTooLarge: return NSValidationNumberTooLargeError
      case .dateTooSoon: return NSValidationDateTooSoonError
      case .dateTooLate: return NSValidationDateTooLateError
      case .stringTooShort: return NSValidationStringTooShortError
      case .stringTooLong: return NSValidationStringTooLongError
      case .stringPatternMatching: return NSValidationStringPatternMatchingError
      }
    }

    /// The limit that was broken, as text.
    var limit: String {
      switch self {
      case .numberTooSmall(let limit), .numberTooLarge(let limit): return "\(limit)"
      case .dateTooSoon(let limit), .dateTooLate(let limit): return "\(limit)"
      case .stringTooShort(let limit), .stringTooLong(let limit): return "\(limit)"
      case .stringPatternMatching(let pattern): return pattern
      }
    }
  }

  var isEmpty: Bool { self == AttributeLimits() }

  /// The limits that `value` breaks, in the order of the fields; empty if it passes. nil always passes: limits don't
  /// decide whether a value may be absent.
  func violations(of value: Any?) -> [Violation] {
    switch value {
    case let string as String: return violations(of: string)
    case let date as Date: return violations(of: date)
    case let number as NSNumber:
      return number.doubleValue.isInfinite
        ? violations(ofInfinite: number.doubleValue) : violations(of: number.decimalValue)
    case let number as Decimal: return violations(of: number)
    default: return []
    }
  }

  private func violations(of number: Decimal) -> [Violation] {
    var found: [Violation] = []
    if let minNumber, number < minNumber { found.append(.numberTooSmall(limit: minNumber)) }
    if let maxNumber, number > maxNumber { found.append(.numberTooLarge(limit: maxNumber)) }
    return found
  }

  /// Infinity can't be converted to a decimal: Foundation ends the program if you try.
  private func violations(ofInfinite number: Double) -> [Violation] {
    if number < 0 { return minNumber.map { [.numberTooSmall(limit: $0)] } ?? [] }
    return maxNumber.map { [.numberTooLarge(limit: $0)] } ?? []
  }

  private func violations(of date: Date) -> [Violation] {
    var found: [Violation] = []
    if let minDate, date < minDate { found.append(.dateTooSoon(limit: minDate)) }
    if let maxDate, date > maxDate { found.append(.dateTooLate(limit: maxDate)) }
    return found
  }

  private func violations(of string: String) -> [Violation] {
    var found: [Violation] = []
    if let minLength, string.utf16.count < minLength { found.append(.stringTooShort(limit: minLength)) }
    if let maxLength, string.utf16.count > maxLength { found.append(.stringTooLong(limit: maxLength)) }
    if let pattern, !PatternCache.matchesWhole(string, pattern: pattern) {
      found.append(.stringPatternMatching(pattern: pattern))
    }
    return found
  }

  /// The predicate of the limit whose failure has a code.
  func rule(_ code: Int) -> NSPredicate? { rules.first { $0.code == code }?.predicate }

  /// The limits as predicates over the value, each with the code of its failure.
  var rules: [(predicate: NSPredicate, code: Int)] {
    func rule(_ limits: AttributeLimits, _ code: Int) -> (predicate: NSPredicate, code: Int) {
      (NSPredicate { value, _ in limits.violations(of: value).isEmpty }, code)
    }
    var rules: [(predicate: NSPredicate, code: Int)] = []
    if let minNumber { rules.append(rule(.init(minNumber: minNumber), NSValidationNumberTooSmallError)) }
    if let maxNumber { rules.append(rule(.init(maxNumber: maxNumber), NSValidationNumberTooLargeError)) }
    if let minDate { rules.append(rule(.init(minDate: minDate), NSValidationDateTooSoonError)) }
    if let maxDate { rules.append(rule(.init(maxDate: maxDate), NSValidationDateTooLateError)) }
    if let minLength { rules.append(rule(.init(minLength: minLength), NSValidationStringTooShortError)) }
    if let maxLength { rules.append(rule(.init(maxLength: maxLength), NSValidationStringTooLongError)) }
    if let pattern { rules.append(rule(.init(pattern: pattern), NSValidationStringPatternMatchingError)) }
    return rules
  }
}

/// Compiled regular expressions by their text: a save checks the same few patterns for every object.
private enum PatternCache {
  private static let lock = NSLock()
  // Guarded by `lock`.
  nonisolated(unsafe) private static var compiled: [String: NSRegularExpression] = [:]

  /// Whether the whole of `string` matches, as MATCHES requires. An invalid pattern matches nothing.
  static func matchesWhole(_ string: String, pattern: String) -> Bool {
    guard let expression = expression(for: pattern) else { return false }
    let whole = NSRange(location: 0, length: string.utf16.count)
    return expression.firstMatch(in: string, range: whole) != nil
  }

  private static func expression(for pattern: String) -> NSRegularExpression? {
    lock.lock()
    defer { lock.unlock() }
    if let known = compiled[pattern] { return known }
    // \A(?:…)\z forces the engine to try every alternative until one spans the string.
    guard let made = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else { return nil }
    compiled[pattern] = made
    return made
  }
}
