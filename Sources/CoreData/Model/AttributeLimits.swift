import Foundation

/// The limits a data model file states for an attribute's value, and the check of a value against them.
/// A nil field is no limit. All limits are inclusive.
struct AttributeLimits: Equatable {
  private var minimum: NumberLimit?
  private var maximum: NumberLimit?
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
    minimum = minNumber.map(NumberLimit.init)
    maximum = maxNumber.map(NumberLimit.init)
    self.minDate = minDate
    self.maxDate = maxDate
    self.minLength = minLength
    self.maxLength = maxLength
    self.pattern = pattern
  }

  var minNumber: Decimal? {
    get { minimum?.decimal }
    set { minimum = newValue.map(NumberLimit.init) }
  }
  var maxNumber: Decimal? {
    get { maximum?.decimal }
    set { maximum = newValue.map(NumberLimit.init) }
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
    case let number as NSNumber: return violations(of: number)
    default: return []
    }
  }

  private func violations(of number: NSNumber) -> [Violation] {
    var found: [Violation] = []
    if let minimum, minimum.order(of: number) == .orderedAscending {
      found.append(.numberTooSmall(limit: minimum.decimal))
    }
    if let maximum, maximum.order(of: number) == .orderedDescending {
      found.append(.numberTooLarge(limit: maximum.decimal))
    }
    return found
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

  /// The limits as predicates over the value, each with the code of its failure. They have the forms that Apple's model
  /// compiler gives them, which programs take apart.
  var rules: [(predicate: NSPredicate, code: Int)] {
    var rules: [(predicate: NSPredicate, code: Int)] = []
    func add(_ format: String, _ limit: Any?, code: Int) {
      guard let limit else { return }
      rules.append((NSPredicate(format: format, argumentArray: [limit]), code))
    }
    add("SELF >= %@", minNumber.map(NSDecimalNumber.init), code: NSValidationNumberTooSmallError)
    add("SELF <= %@", maxNumber.map(NSDecimalNumber.init), code: NSValidationNumberTooLargeError)
    let (dateFrom, dateUntil) = ("timeIntervalSinceReferenceDate >= %@", "timeIntervalSinceReferenceDate <= %@")
    add(dateFrom, minDate?.timeIntervalSinceReferenceDate, code: NSValidationDateTooSoonError)
    add(dateUntil, maxDate?.timeIntervalSinceReferenceDate, code: NSValidationDateTooLateError)
    add("length >= %@", minLength, code: NSValidationStringTooShortError)
    add("length <= %@", maxLength, code: NSValidationStringTooLongError)
    add("SELF MATCHES %@", pattern, code: NSValidationStringPatternMatchingError)
    return rules
  }
}

/// A limit for numbers, in each form that a number is compared in.
///
/// A number is compared as what it is: an integer with the integer, a double with the double that the model file's text
/// stands for. As decimals they may differ although both were written 1.06, and few doubles have a decimal.
private struct NumberLimit: Equatable {
  let decimal: Decimal
  private let double: Double
  private let float: Float
  /// nil for a limit that is no `Int64`.
  private let integer: Int64?

  init(_ decimal: Decimal) {
    self.decimal = decimal
    // By its text, because Foundation's conversions round more than once.
    let text = "\(decimal)"
    double = Double(text) ?? .nan
    float = Float(text) ?? .nan
    integer = Int64(text)
  }

  /// Where a number is, seen from the limit: ascending below it. NaN is below every limit.
  func order(of number: NSNumber) -> ComparisonResult {
    if let number = number as? NSDecimalNumber { return order(number.decimalValue, decimal) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"): return order(number.doubleValue, double)
    case UInt8(ascii: "f"): return order(number.floatValue, float)
    // Only numbers beyond `Int64` have this type.
    case UInt8(ascii: "Q"): return order(Decimal(number.uint64Value), decimal)
    default:
      guard let integer else { return order(Decimal(number.int64Value), decimal) }
      return order(number.int64Value, integer)
    }
  }

  private func order<Number: Comparable>(_ number: Number, _ limit: Number) -> ComparisonResult {
    number == limit ? .orderedSame : number > limit ? .orderedDescending : .orderedAscending
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
