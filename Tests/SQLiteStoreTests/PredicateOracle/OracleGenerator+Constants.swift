import Foundation

extension OracleGenerator {
  private static let texts = [
    "", "a", "A", "b", "ab", "Ab", "AB", "aB c", "c ab", "é", "e\u{301}", "É", "E\u{301}", "été", "ß", "ss",
    "SS", "Straße",
    "STRASSE", "İ", "i", "I", "ı", "😀", "😀a", "👍🏽", "a*b", "a?b", "a\\b", "%", "_", "a%b", "5", " 5", "05",
    "5.0", "1e1",
    "0x5", "inf", "nan", "-1", "+3", "12abc", "Ångström", "angstrom", "～", "𐀀", "\u{FFFD}", "o'b", "x\"y",
    "a\nb", "ﬁ",
    "fi", "Σ", "σ", "ς", "ǆ", "ǅ", "a_b", "ab ab", "xabx", "nil", "YES",
  ]
  private static let uuids = [1, 2, 255].map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }

  mutating func text() -> String {
    // A few are met over and over.
    dice.chance(2, in: 5) ? dice.pick(["a", "A", "ab", "é", "e\u{301}", ""]) : dice.pick(Self.texts)
  }

  mutating func constant(_ kind: OracleKind) -> OracleConstant {
    switch kind {
    case .int16, .int32: return .int(dice.pick([0, 1, 2, 3, 5, -1, -7, 10, 32767]))
    case .int64:
      if !dice.chance(1, in: 6) { return .int(dice.pick([0, 1, 2, 5, -1])) }
      return .int(dice.pick([.max, .min, .max - 1, 9_007_199_254_740_993]))
    // Fractions of which sums are exact.
    case .double: return .real(dice.pick([0, -0.0, 1, 2, 5, 1.5, -2.25, 0.5, -7, 1e10]))
    case .float: return .real(dice.pick([0, 1, 1.5, -2.25, 3, Double(Float(0.1)), -0.0]))
    case .decimal:
      return .decimal(dice.pick(["0", "1", "2", "5", "0.1", "0.2", "0.3", "-1.5", "12345.678", "1000"]))
    case .text: return .text(text())
    case .flag: return .flag(dice.chance(1, in: 2))
    case .date: return .date(dice.pick([0, 1, 3, 0.5, -1, 100, 700_000_000.25]))
    case .uuid: return .uuid(dice.pick(Self.uuids))
    case .link: return .link(dice.pick(["http://a.example/x", "http://A.example/x", "file:///a", "a", "5"]))
    case .bytes:
      let uuid = withUnsafeBytes(of: Self.uuids[0].uuid) { Array($0) }
      return .bytes(dice.pick([[], [0], [1, 2], [255], [1, 2, 3], uuid]))
    }
  }

  /// A constant beside a number.
  mutating func number() -> OracleConstant {
    switch dice.roll(10) {
    case 0: return .flag(dice.chance(1, in: 2))
    case 1: return constant(.decimal)
    case 2, 3: return constant(.double)
    case 4: return dice.chance(1, in: 3) ? .real(9_007_199_254_740_992) : constant(.int64)
    default: return .int(dice.pick([0, 1, 2, 3, 5, -1]))
    }
  }

  /// A piece, a pattern, or an expression for one of the operators of texts.
  mutating func pattern(_ operation: OracleComparison.Operator) -> String {
    let whole = text()
    switch operation {
    case .like:
      var scalars = Array(whole.unicodeScalars)
      for _ in 0..<dice.roll(3) {
        let sign: Unicode.Scalar = dice.chance(1, in: 2) ? "*" : "?"
        if scalars.isEmpty || dice.chance(1, in: 2) {
          scalars.insert(sign, at: dice.roll(scalars.count + 1))
        } else {
          scalars[dice.roll(scalars.count)] = sign
        }
      }
      return String(String.UnicodeScalarView(scalars))
    case .matches:
      return dice.pick([
        ".*", "a.*", "[a-c]+", ".*b", ComparedStores.haveOneLocale ? "\\w+" : "[^ ]+", "(a|b)+", "A?b*", "é", "e.", ".",
        "\\d+", "[^a]*", "s{2}",
        "\\S+", "",
      ])
    default:
      let scalars = Array(whole.unicodeScalars)
      guard scalars.count > 1, dice.chance(1, in: 2) else { return whole }
      let start = dice.roll(scalars.count)
      return String(String.UnicodeScalarView(scalars[start..<(start + 1 + dice.roll(scalars.count - start))]))
    }
  }
}
