import Foundation

/// A word, sign, literal or argument in a format string, and its range of bytes.
struct PredicateToken {
  var kind: Kind
  /// UTF-8 offsets in the format string.
  var start: Int
  var end: Int

  enum Kind: UInt8 {
    case end
    case word
    /// `#word`, which is never a keyword. Its range excludes the `#`.
    case escapedWord
    /// `$name`. Its range excludes the `$`.
    case variable
    /// `@count`. Its range includes the `@`.
    case collectionOperator
    case string
    case integer
    case floating
    /// `%…`. The last byte is the conversion letter.
    case argument

    case openParenthesis, closeParenthesis, openBrace, closeBrace, openBracket, closeBracket
    case comma, dot, colon, assign
    case plus, minus, times, divide, power
    case bitAnd, bitOr, bitXor, bitNot, shiftLeft, shiftRight
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case and, or, not

    // Words that are always keywords, except after a dot.
    case `in`, between, contains, beginsWith, endsWith, like, matches, utiConformsTo, utiEquals
    case any, all, none
    case truePredicate, falsePredicate
    case yes, no, null, this, anyKey
    // Words that are keywords only before "(" or between operands. Elsewhere they are names.
    case subquery, cast, ternary, function, fetch
    case union, intersect, setMinus
    // Words that are keywords only between brackets.
    case first, last, size
  }
}

extension PredicateToken.Kind {
  /// Keywords by their spelling in capitals. Some have several spellings.
  static let keywords: [(String, PredicateToken.Kind)] = [
    ("AND", .and), ("OR", .or), ("NOT", .not), ("IN", .in), ("BETWEEN", .between), ("CONTAINS", .contains),
    ("BEGINSWITH", .beginsWith), ("ENDSWITH", .endsWith), ("LIKE", .like), ("MATCHES", .matches),
    ("ANY", .any), ("SOME", .any), ("ALL", .all), ("NONE", .none), ("TRUEPREDICATE", .truePredicate),
    ("FALSEPREDICATE", .falsePredicate), ("TRUE", .yes), ("YES", .yes), ("FALSE", .no), ("NO", .no),
    ("NULL", .null), ("NIL", .null), ("SELF", .this), ("ANYKEY", .anyKey), ("SUBQUERY", .subquery),
    ("CAST", .cast), ("TERNARY", .ternary), ("FUNCTION", .function), ("FETCH", .fetch), ("UNION", .union),
    ("INTERSECT", .intersect), ("MINUS", .setMinus), ("FIRST", .first), ("LAST", .last), ("SIZE", .size),
  ]

  /// Keywords by length, packed into integers so that a look-up only compares integers.
  private static let packedKeywords: [[(UInt64, UInt64, PredicateToken.Kind)]] = {
    var table = [[(UInt64, UInt64, PredicateToken.Kind)]](repeating: [], count: 17)
    for (word, kind) in keywords {
      let packed = Array(word.utf8).withUnsafeBufferPointer(pack)
      table[word.utf8.count].append((packed.0, packed.1, kind))
    }
    return table
  }()

  /// Packs up to 16 letters, converted to capitals, into two integers with a byte for each letter.
  private static func pack(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      let capital = UInt64(byte &- 0x61 < 26 ? byte & 0xDF : byte)
      if index < 8 { high = high << 8 | capital } else { low = low << 8 | capital }
    }
    return (high, low)
  }

  /// The keyword that `bytes` spell, in upper or lower case, otherwise `.word`.
  static func keyword(_ bytes: UnsafeBufferPointer<UInt8>) -> PredicateToken.Kind {
    guard (2...16).contains(bytes.count) else { return .word }
    let candidates = packedKeywords[bytes.count]
    if candidates.isEmpty { return .word }
    let packed = pack(bytes)
    for candidate in candidates where candidate.0 == packed.0 && candidate.1 == packed.1 {
      return candidate.2
    }
    return .word
  }

  /// Whether it is spelled with letters, and so is a name after a dot.
  var isWord: Bool { self == .word || self == .escapedWord || isKeyword }

  /// Whether it is a keyword. `&&`, `||` and `!` have keyword kinds too; only their bytes tell them from words.
  var isKeyword: Bool { rawValue >= PredicateToken.Kind.and.rawValue }

  /// Whether a keyword of this kind is a name where the grammar wants a value.
  var isNameInOperand: Bool {
    switch self {
    case .subquery, .cast, .ternary, .function, .fetch, .union, .intersect, .setMinus, .first, .last, .size:
      true
    default: false
    }
  }
}
