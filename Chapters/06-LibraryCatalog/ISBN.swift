/// An International Standard Book Number, in its thirteen-digit form.
///
/// The last digit checks the others, so a mistyped number is found out: the digits, weighted 1 and 3 in
/// turn, add up to a multiple of ten. The ten-digit form has weights ten to one and a multiple of eleven,
/// with `X` for ten.
public struct ISBN: Hashable, Sendable, CustomStringConvertible {
  public let digits: String

  public enum Failure: Error, Equatable, CustomStringConvertible {
    case wrongLength(String)
    case wrongCharacter(String)
    case wrongBeginning(String)
    case wrongCheckDigit(String)

    public var description: String {
      switch self {
      case .wrongLength(let text): "the ISBN \(text.shortened) has neither 10 nor 13 digits"
      case .wrongCharacter(let text): "the ISBN \(text.shortened) has something in it that is no digit"
      case .wrongBeginning(let text): "the ISBN \(text) begins with neither 978 nor 979"
      case .wrongCheckDigit(let text): "the ISBN \(text.shortened) has a wrong check digit"
      }
    }
  }

  /// Reads either form; hyphens and spaces are passed over. Ten digits become thirteen.
  ///
  /// Seven to nine characters are taken for a ten-digit number that lost its leading zeros in a
  /// spreadsheet.
  public init(_ text: String) throws(Failure) {
    let characters = text.filter { $0 != "-" && $0 != " " }
    guard characters.dropLast().allSatisfy(\.isASCIIDigit),
      let last = characters.last, last.isASCIIDigit || last == "X" || last == "x"
    else { throw .wrongCharacter(text) }
    switch characters.count {
    case 13:
      guard last.isASCIIDigit else { throw .wrongCharacter(text) }
      guard String(characters.last!) == Self.checkDigit(of: characters.dropLast()) else {
        throw .wrongCheckDigit(text)
      }
      guard characters.hasPrefix("978") || characters.hasPrefix("979") else { throw .wrongBeginning(characters) }
      digits = characters
    case 7...10:
      let ten = String(repeating: "0", count: 10 - characters.count) + characters
      guard Self.isValidTen(ten) else { throw .wrongCheckDigit(text) }
      let twelve = "978" + ten.dropLast()
      digits = twelve + Self.checkDigit(of: twelve[...])
    default:
      throw .wrongLength(text)
    }
  }

  /// The thirteenth digit to twelve others.
  static func checkDigit(of twelve: Substring) -> String {
    let sum = twelve.enumerated().reduce(0) { sum, digit in
      sum + (digit.element.wholeNumberValue ?? 0) * (digit.offset.isMultiple(of: 2) ? 1 : 3)
    }
    return String((10 - sum % 10) % 10)
  }

  private static func isValidTen(_ ten: String) -> Bool {
    let sum = ten.enumerated().reduce(0) { sum, digit in
      sum + (digit.element.wholeNumberValue ?? 10) * (10 - digit.offset)
    }
    return sum.isMultiple(of: 11)
  }

  public var description: String { digits }
}

extension String {
  /// At most 40 characters of the text, for a sentence.
  var shortened: String { count > 40 ? prefix(39) + "…" : self }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
