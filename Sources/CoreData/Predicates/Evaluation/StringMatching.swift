import Foundation

/// Pure functions on strings that the evaluator and SQLite's registered functions share, so that a predicate
/// means the same in memory and in SQL.

/// The form of `text` under which strings that `options` calls equal have equal bytes.
///
/// - `caseInsensitive`: full case folding ("Straße" and "STRASSE" are equal).
/// - `diacriticInsensitive`: combining marks on Latin, Greek and Cyrillic letters are dropped; those of other
///   scripts spell words and stay.
/// - Either of them: letters of full and of half width are those of the usual width, as in the searches that Core Data
///   logs, whose options have `widthInsensitive` in them.
/// - `normalized`: the text as it is; it overrides both.
///
/// With either of the first two the result is in Unicode's normal form C.
///
/// - Parameter foldsWidth: False for patterns, in which a wide `*` is no wildcard, and for orders.
func foldForComparison(_ text: String, options: Comparison.Options, foldsWidth: Bool = true) -> String {
  guard !options.contains(.normalized),
    !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
  else { return text }
  let foldsCase = options.contains(.caseInsensitive)
  if let ascii = foldedASCII(text, foldsCase: foldsCase) { return ascii }
  let stripsMarks = options.contains(.diacriticInsensitive)
  var scalars = String.UnicodeScalarView()
  var stripping = false
  let text = foldsWidth ? withUsualWidth(text) : text
  for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
    if stripsMarks {
      if isCombiningMark(scalar) {
        if stripping { continue }
      } else {
        stripping = marksAreDiacritics(after: scalar)
      }
    }
    if !foldsCase {
      scalars.append(scalar)
    } else if scalar == "ı" {
      // The only letter whose capital belongs to another letter; case folding does not change it.
      scalars.append(scalar)
    } else {
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        scalars.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }
  return String(scalars).precomposedStringWithCanonicalMapping
}

/// `text` with the letters of full and half width replaced by those that they are forms of.
private func withUsualWidth(_ text: String) -> String {
  func isForm(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{3000}" || (0xFF01...0xFFEE).contains(scalar.value) }
  guard text.unicodeScalars.contains(where: isForm) else { return text }
  var scalars = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar {
    // Its compatibility mapping goes on, to a blank and a combining mark.
    case "\u{FFE3}": scalars.append("\u{AF}")
    case _ where isForm(scalar):
      scalars.append(contentsOf: String(scalar).decomposedStringWithCompatibilityMapping.unicodeScalars)
    default: scalars.append(scalar)
    }
  }
  return String(scalars)
}

/// `text` folded if it is ASCII, else nil. ASCII has no diacritics.
private func foldedASCII(_ text: String, foldsCase: Bool) -> String? {
  var isASCII = true
  var hasCapitals = false
  for byte in text.utf8 {
    if byte >= 0x80 {
      isASCII = false
      break
    }
    if byte &- 0x41 < 26 { hasCapitals = true }
  }
  guard isASCII else { return nil }
  guard foldsCase, hasCapitals else { return text }
  return String(unsafeUninitializedCapacity: text.utf8.count) { buffer in
    var count = 0
    for byte in text.utf8 {
      buffer[count] = byte &- 0x41 < 26 ? byte | 0x20 : byte
      count += 1
    }
    return count
  }
}

private func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
  guard scalar.value >= 0x300 else { return false }
  return scalar.properties.generalCategory == .nonspacingMark
}

/// Latin, Greek, Cyrillic: up to U+0530, and the extended blocks.
private func marksAreDiacritics(after scalar: Unicode.Scalar) -> Bool {
  scalar.value < 0x530 || (0x1E00...0x1FFF).contains(scalar.value) || (0x2C60...0x2C7F).contains(scalar.value)
}

/// Compares two strings for `<`, `==` and sorting: negative, zero or positive.
///
/// - Parameter foldsWidth: False for sorting, as `caseInsensitiveCompare(_:)` knows of no width.
func compareStrings(_ a: String, _ b: String, options: Comparison.Options, foldsWidth: Bool = true) -> Int {
  func fold(_ text: String) -> String { foldForComparison(text, options: options, foldsWidth: foldsWidth) }
  if options.contains(.localeSensitive), !options.contains(.normalized) {
    let x = fold(a)
    let y = fold(b)
    return x.compare(y, options: [], range: nil, locale: .current).rawValue
  }
  guard !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else {
    return binaryCompare(a, b)
  }
  return binaryCompare(fold(a), fold(b))
}

/// A pattern of `LIKE`: `*` is any text, `?` any one character (one Unicode scalar of the composed text),
/// `\` takes the next character as it is. The whole text must match.
struct LikePattern {
  private enum Piece: Equatable {
    case byte(UInt8)
    case one
    case many
  }
  private let pieces: [Piece]
  private let options: Comparison.Options

  init(_ pattern: String, options: Comparison.Options) {
    self.options = options
    var pieces: [Piece] = []
    var escaped = false
    for byte in foldForComparison(pattern, options: options, foldsWidth: false).utf8 {
      switch byte {
      case _ where escaped: pieces.append(.byte(byte))
      case UInt8(ascii: "\\"):
        escaped = true
        continue
      case UInt8(ascii: "*"): if pieces.last != .many { pieces.append(.many) }
      case UInt8(ascii: "?"): pieces.append(.one)
      default: pieces.append(.byte(byte))
      }
      escaped = false
    }
    if escaped { pieces.append(.byte(UInt8(ascii: "\\"))) }
    self.pieces = pieces
  }

  func matches(_ text: String) -> Bool {
    var folded = foldForComparison(text, options: options, foldsWidth: false)
    return folded.withUTF8(matches)
  }

  /// Goes back to the latest `*` only: each of them may as well have taken the shortest text.
  private func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var piece = 0
    var offset = 0
    var retry: (piece: Int, offset: Int)?
    while true {
      if piece < pieces.count, pieces[piece] == .many {
        piece += 1
        retry = (piece, offset)
        continue
      }
      if offset == bytes.count, piece == pieces.count { return true }
      if offset < bytes.count, piece < pieces.count {
        switch pieces[piece] {
        case .byte(let byte) where byte == bytes[offset]:
          piece += 1
          offset += 1
          continue
        case .one:
          piece += 1
          offset = LikePattern.afterScalar(at: offset, in: bytes)
          continue
        default: break
        }
      }
      guard let last = retry, last.offset < bytes.count else { return false }
      retry = (last.piece, LikePattern.afterScalar(at: last.offset, in: bytes))
      piece = last.piece
      offset = retry!.offset
    }
  }

  private static func afterScalar(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var next = offset + 1
    while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}

/// A pattern of `MATCHES`: an ICU regular expression that the whole text must match.
struct RegularExpressionPattern {
  private let expression: NSRegularExpression
  private let options: Comparison.Options

  /// Throws Foundation's error for a malformed pattern.
  init(_ pattern: String, options: Comparison.Options) throws {
    // The pattern is not folded, since that would turn \S into \s; the expression has an option for case.
    self.options = options.subtracting(.caseInsensitive)
    let pattern = foldForComparison(pattern, options: self.options, foldsWidth: false)
    let flags: NSRegularExpression.Options =
      options.contains(.caseInsensitive) && !options.contains(.normalized) ? .caseInsensitive : []
    // By itself first: "a)|(?:b" is no pattern, though it would be one in a group. Foundation takes no empty pattern.
    if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: flags) }
    expression = try RegularExpressionPattern.whole(pattern, flags)
  }

  /// The expression for a sound pattern that takes all of a text.
  ///
  /// What ends the group may fall into the pattern's last comment, which a new line ends, or into a quotation that
  /// began with `\Q`.
  private static func whole(
    _ pattern: String, _ flags: NSRegularExpression.Options
  ) throws -> NSRegularExpression {
    for end in [")\\z", "\n)\\z"] {
      let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern)\(end)", options: flags)
      if let expression { return expression }
    }
    return try NSRegularExpression(pattern: "\\A(?:\(pattern)\\E)\\z", options: flags)
  }

  func matches(_ text: String) -> Bool {
    let folded = foldForComparison(text, options: options, foldsWidth: false)
    let range = NSRange(location: 0, length: folded.utf16.count)
    return expression.firstMatch(in: folded, options: [], range: range) != nil
  }
}
