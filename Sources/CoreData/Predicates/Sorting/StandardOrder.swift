import Foundation

/// The order of `localizedStandardCompare(_:)`, as file managers have it: "a9" before "A10".
package enum StandardOrder {
  /// Whether letters without accents are in the order of the alphabet, whatever they are beside.
  private static let isEnglish = Locale.current.identifier.hasPrefix("en")

  /// Negative, zero or positive.
  package static func order(_ a: String, _ b: String) -> Int {
    var (a, b) = (a, b)
    return a.withUTF8 { x in b.withUTF8 { y in order(x, y) } } ?? a.localizedStandardCompare(b).rawValue
  }

  /// The order of texts of plain letters, digits and spaces, which is twenty times as fast as Foundation's; nil if what
  /// decides is something else.
  static func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int? {
    guard isEnglish else { return nil }
    var (i, j) = (0, 0)
    // Decides between texts that differ in case only: the first small letter comes first.
    var cases = 0
    while i < a.count, j < b.count {
      let (x, y) = (folded(a[i]), folded(b[j]))
      if x == 0 || y == 0 || isAccented(a, i) || isAccented(b, j) { return nil }
      if isDigit(x), isDigit(y) {
        let (m, n) = (digits(a, i), digits(b, j))
        if m > 1 && x == zero || n > 1 && y == zero { return nil }
        if m != n { return m - n }
        for k in 0..<m where a[i + k] != b[j + k] { return Int(a[i + k]) - Int(b[j + k]) }
        if isAccented(a, i + m - 1) || isAccented(b, j + n - 1) { return nil }
        (i, j) = (i + m, j + n)
        continue
      }
      if x != y { return Int(x) - Int(y) }
      if cases == 0 { cases = Int(b[j]) - Int(a[i]) }
      (i, j) = (i + 1, j + 1)
    }
    let rest = (a.count - i) - (b.count - j)
    return rest == 0 ? cases : rest
  }

  private static let zero = UInt8(ascii: "0")

  /// A small letter, a digit or a space; 0 for another character.
  private static func folded(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), zero...UInt8(ascii: "9"), UInt8(ascii: " "): byte
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: 0
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= UInt8(ascii: "9") }

  private static func digits(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    text[start...].prefix(while: isDigit).count
  }

  /// Whether a combining mark may follow.
  private static func isAccented(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    place + 1 < text.count && text[place + 1] >= 0x80
  }
}

/// A text as `SortDescriptor` compares texts on Apple's systems. It makes the sort descriptors that are declared below.
public struct _StandardText: Comparable, Sendable {
  let text: String

  /// Whether the first comes earlier.
  public static func < (left: _StandardText, right: _StandardText) -> Bool {
    StandardOrder.order(left.text, right.text) < 0
  }
}

/// A text as `localizedCompare(_:)` compares texts. It makes the sort descriptors with the comparator `.localized`.
public struct _LocalizedText: Comparable, Sendable {
  let text: String

  /// Whether the first comes earlier.
  public static func < (left: _LocalizedText, right: _LocalizedText) -> Bool {
    SortKey.Collation.localized.order(left.text, right.text) < 0
  }
}

/// The steps at the ends of key paths that say how a text is compared. Such a step names no property.
package enum TextOrderStep {
  /// The selector of the comparison that a key path ends with; nil for other key paths.
  package static func selector(of keyPath: AnyKeyPath) -> String? {
    let end = type(of: keyPath).valueType
    if end == _StandardText.self || end == _StandardText?.self { return SortKey.Collation.localizedStandard.rawValue }
    if end == _LocalizedText.self || end == _LocalizedText?.self { return SortKey.Collation.localized.rawValue }
    return nil
  }
}

extension String {
  /// The text in the standard order.
  public var _inStandardOrder: _StandardText { _StandardText(text: self) }
  /// The text in the order of the person's language.
  public var _inLocalizedOrder: _LocalizedText { _LocalizedText(text: self) }
}

extension String? {
  /// The text in the standard order. It is optional because what is appended to a key path that meets nil gives nil,
  /// whatever its type.
  public var _inStandardOrder: _StandardText? { map { _StandardText(text: $0) } }
  /// The text in the order of the person's language, optional for the same reason.
  public var _inLocalizedOrder: _LocalizedText? { map { _LocalizedText(text: $0) } }
}

/// How `SortDescriptor` compares texts, where Foundation on Linux has `.lexical` only.
public enum _StandardTextOrder: Sendable {
  /// As file managers do: "a9" before "A10".
  case localizedStandard
  /// As `localizedCompare(_:)` does: "a10" before "a9", "ä" beside "a".
  case localized
}

extension SortDescriptor where Compared: NSObject {
  /// Sorts by a text, as `localizedStandardCompare(_:)` does. That is the default on Apple's systems; for the order of
  /// bytes give the comparator `.lexical`.
  public init(_ keyPath: KeyPath<Compared, String>, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \._inStandardOrder), order: order)
  }

  /// Sorts by a text that may be nil, as `localizedStandardCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String?>, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \._inStandardOrder), order: order)
  }

  /// Sorts by a text, as `localizedStandardCompare(_:)` or `localizedCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String>, comparator: _StandardTextOrder, order: SortOrder = .forward) {
    switch comparator {
    case .localizedStandard: self.init(keyPath, order: order)
    case .localized: self.init(keyPath.appending(path: \._inLocalizedOrder), order: order)
    }
  }

  /// Sorts by a text that may be nil, as `localizedStandardCompare(_:)` or `localizedCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String?>, comparator: _StandardTextOrder, order: SortOrder = .forward) {
    switch comparator {
    case .localizedStandard: self.init(keyPath, order: order)
    case .localized: self.init(keyPath.appending(path: \._inLocalizedOrder), order: order)
    }
  }
}
