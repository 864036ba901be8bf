import Foundation

/// Reads and writes literals of the format language.
enum PredicateLiteral {
  /// An integer with an optional base prefix; nil if its digits don't fit the base. An integer beyond `Int64` becomes a
  /// floating-point number.
  static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> PredicateConstant? {
    var value: Int64 = 0
    if bytes.count < 18, bytes.allSatisfy({ $0 &- 0x30 < 10 }) {
      for byte in bytes { value = value * 10 + Int64(byte - 0x30) }
      return .int(value)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let bases: [(String, Int)] = [("0x", 16), ("0o", 8), ("0b", 2)]
    for (prefix, radix) in bases where text.lowercased().hasPrefix(prefix) {
      return UInt64(text.dropFirst(2), radix: radix).map { .int(Int64(bitPattern: $0)) }
    }
    return Int64(text).map(PredicateConstant.int) ?? Double(text).map(PredicateConstant.double)
  }

  static func floating(_ bytes: UnsafeBufferPointer<UInt8>) -> PredicateConstant? {
    var text = String(decoding: bytes, as: UTF8.self)
    if text.hasSuffix(".") { text.removeLast() }
    return Double(text).map(PredicateConstant.double)
  }

  /// The text between quotes, with these escapes resolved: `\n \r \t \b \f \v \0 \" \' \\`, `\xHH`, `\uHHHH`, and octal
  /// `\NNN`. A backslash before any other character is dropped.
  static func string(_ quoted: UnsafeBufferPointer<UInt8>) -> String {
    let inner = UnsafeBufferPointer(rebasing: quoted[1..<(quoted.count - 1)])
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    var result: [UInt8] = []
    var units: [UInt16] = []
    var index = 0
    /// `\uD83D\uDE00` is one character, so surrogates are collected until another byte follows.
    func flushUnits() {
      if !units.isEmpty { result += Array(String(decoding: units, as: UTF16.self).utf8) }
      units = []
    }
    while index < inner.count {
      let byte = inner[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < inner.count else {
        flushUnits()
        result.append(byte)
        continue
      }
      let letter = inner[index]
      index += 1
      if letter == UInt8(ascii: "u"), let value = digits(inner, &index, count: 4, radix: 16) {
        units.append(UInt16(value))
        continue
      }
      flushUnits()
      switch letter {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "v"): result.append(0x0B)
      case UInt8(ascii: "x"):
        if let value = digits(inner, &index, count: 2, radix: 16) {
          result += Array(String(Unicode.Scalar(UInt8(value))).utf8)
        } else {
          result.append(letter)
        }
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        index -= 1
        let value = octal(inner, &index)
        result += Array(String(Unicode.Scalar(UInt8(truncatingIfNeeded: value))).utf8)
      default: result.append(letter)
      }
    }
    flushUnits()
    return String(decoding: result, as: UTF8.self)
  }

  private static func digits(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, count: Int, radix: Int
  ) -> Int? {
    guard index + count <= bytes.count else { return nil }
    let text = String(decoding: bytes[index..<(index + count)], as: UTF8.self)
    guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }), let value = Int(text, radix: radix) else {
      return nil
    }
    index += count
    return value
  }

  /// One to three octal digits.
  private static func octal(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Int {
    var value = 0
    let end = min(index + 3, bytes.count)
    while index < end, bytes[index] &- 0x30 < 8 {
      value = value * 8 + Int(bytes[index] - 0x30)
      index += 1
    }
    return value
  }

  /// `text` in double quotes, escaped so that `string` returns it.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
