import Foundation

/// A word, a sign, a literal or an argument of a format string, with the bytes it was read from.
struct PredicateToken {
  var kind: Kind
  /// UTF-8 offsets.
  var start: Int
  var end: Int

  enum Kind: UInt8 {
    case end
    case word
    /// `#word`: never a keyword. Its bytes exclude the `#`.
    case escapedWord
    /// `$name`, without the `$`.
    case variable
    /// `@count`, with the `@`.
    case collectionOperator
    case string
    case integer
    case floating
    /// `%…`, the conversion letter being its last byte.
    case argument

    case openParenthesis, closeParenthesis, openBrace, closeBrace, openBracket, closeBracket
    case comma, dot, colon, assign
    case plus, minus, times, divide, power
    case bitAnd, bitOr, bitXor, bitNot, shiftLeft, shiftRight
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case and, or, not

    // Keywords that are signs of the grammar wherever they stand, except after a dot.
    case `in`, between, contains, beginsWith, endsWith, like, matches, utiConformsTo, utiEquals
    case any, all, none
    case truePredicate, falsePredicate
    case yes, no, null, this, anyKey
    // Keywords before "(" or between operands only; elsewhere they are names.
    case subquery, cast, ternary, function, fetch
    case union, intersect, setMinus
    // Keywords between brackets only.
    case first, last, size
  }
}

extension PredicateToken.Kind {
  /// Keywords by their spelling in capitals, several for some.
  static let keywords: [(String, PredicateToken.Kind)] = [
    ("AND", .and), ("OR", .or), ("NOT", .not), ("IN", .in), ("BETWEEN", .between), ("CONTAINS", .contains),
    ("BEGINSWITH", .beginsWith), ("ENDSWITH", .endsWith), ("LIKE", .like), ("MATCHES", .matches),
    ("ANY", .any), ("SOME", .any), ("ALL", .all), ("NONE", .none), ("TRUEPREDICATE", .truePredicate),
    ("FALSEPREDICATE", .falsePredicate), ("TRUE", .yes), ("YES", .yes), ("FALSE", .no), ("NO", .no),
    ("NULL", .null), ("NIL", .null), ("SELF", .this), ("ANYKEY", .anyKey), ("SUBQUERY", .subquery),
    ("CAST", .cast), ("TERNARY", .ternary), ("FUNCTION", .function), ("FETCH", .fetch), ("UNION", .union),
    ("INTERSECT", .intersect), ("MINUS", .setMinus), ("FIRST", .first), ("LAST", .last), ("SIZE", .size),
  ]

  /// Keywords by length, packed: a look-up is a comparison of integers.
  private static let packedKeywords: [[(UInt64, UInt64, PredicateToken.Kind)]] = {
    var table = [[(UInt64, UInt64, PredicateToken.Kind)]](repeating: [], count: 17)
    for (word, kind) in keywords {
      let packed = Array(word.utf8).withUnsafeBufferPointer(pack)
      table[word.utf8.count].append((packed.0, packed.1, kind))
    }
    return table
  }()

  /// Up to 16 letters in capitals, a byte each.
  private static func pack(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      let capital = UInt64(byte &- 0x61 < 26 ? byte & 0xDF : byte)
      if index < 8 { high = high << 8 | capital } else { low = low << 8 | capital }
    }
    return (high, low)
  }

  /// The keyword that `bytes` spell, in capitals or not, else `.word`.
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

  /// Whether it was spelled with letters, so that it is a name after a dot.
  var isWord: Bool { self == .word || self == .escapedWord || isKeyword }

  /// Whether it is spelled as a keyword. `&&`, `||` and `!` are told by their bytes, not here.
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
