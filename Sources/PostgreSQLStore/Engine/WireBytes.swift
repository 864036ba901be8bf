internal import CoreData
import Foundation

/// Values in the protocol's binary form: numbers are big-endian, and each value of an array or a COPY has its length in
/// front.
extension [UInt8] {
  // Inlined by force, as is `append(_:form:slot:word:)`, for `insert` on a server; see CONTRIBUTING.md.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(big number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  mutating func appendNull() { append(big: Int32(-1)) }

  /// Appends the value in a slot of a row, with its length in front.
  @inline(__always)
  mutating func append(_ row: RowSnapshot, form: RowForm, slot: Int, word: Int) {
    if word < 0 || row.isNull(slot: slot) { return appendNull() }
    switch form {
    case .integer, .destination:
      append(big: Int32(8))
      append(big: row.int(word: word))
    case .real:
      let number = row.double(word: word)
      // As in a file. The server takes NaN for a number that equals itself and is above all others.
      if number.isNaN { return appendNull() }
      append(big: Int32(8))
      append(big: number.bitPattern)
    case .text, .bytes:
      let tail = row.tail(word: word)
      append(big: Int32(clamping: tail.count))
      append(contentsOf: tail)
    case .uuid:
      append(big: Int32(16))
      append(contentsOf: UnsafeRawBufferPointer(start: row.words + word, count: 16))
    case .decimal: append(counted: WireDecimal.bytes(of: row.decimal(word: word)))
    case .none: appendNull()
    }
  }

  /// Appends a value with its length in front. One that is longer than the length can say is never sent; see
  /// `Parameters.check`.
  mutating func append(counted bytes: [UInt8]) {
    append(big: Int32(clamping: bytes.count))
    append(contentsOf: bytes)
  }
}

/// The binary form of `numeric`: the number of base-10,000 digits, the weight of the first, the sign and the number of
/// decimal places shown; then the digits.
enum WireDecimal {
  private static let negative: UInt16 = 0x4000
  private static let notANumber: UInt16 = 0xC000

  static func bytes(of decimal: Decimal) -> [UInt8] {
    if decimal.isNaN { return header(count: 0, weight: 0, sign: notANumber, scale: 0) }
    // The description has neither an exponent nor a thousands separator.
    let text = decimal.description
    let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    let (whole, fraction) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    func groups(_ digits: String) -> [Int16] {
      stride(from: 0, to: digits.utf8.count, by: 4).map { start in
        Int16(String(decoding: Array(digits.utf8)[start..<(start + 4)], as: UTF8.self)) ?? 0
      }
    }
    let left = groups(String(repeating: "0", count: (4 - whole.count % 4) % 4) + whole)
    let right = groups(fraction + String(repeating: "0", count: (4 - fraction.count % 4) % 4))
    let sign = text.hasPrefix("-") ? negative : 0
    var bytes = header(
      count: left.count + right.count, weight: left.count - 1, sign: sign, scale: fraction.count)
    for digit in left + right { bytes.append(big: digit) }
    return bytes
  }

  private static func header(count: Int, weight: Int, sign: UInt16, scale: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(big: Int16(count))
    bytes.append(big: Int16(weight))
    bytes.append(big: sign)
    bytes.append(big: Int16(scale))
    return bytes
  }

  static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal {
    func short(_ index: Int) -> Int16 {
      Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
    }
    guard bytes.count >= 8 else { return .nan }
    let (count, weight, sign) = (Int(short(0)), Int(short(1)), UInt16(bitPattern: short(2)))
    guard sign == 0 || sign == negative, bytes.count >= 8 + count * 2 else { return .nan }
    var significand = Decimal(0)
    var exponent = (weight - count + 1) * 4
    for index in 0..<count {
      var (digits, factor) = (Int(short(4 + index)), 10_000)
      // 38 digits have room, but no zeros behind them.
      while index == count - 1, digits > 0, digits % 10 == 0 {
        digits /= 10
        factor /= 10
        exponent += 1
      }
      significand = significand * Decimal(factor) + Decimal(digits)
    }
    let value = Decimal(sign: .plus, exponent: exponent, significand: significand)
    return sign == negative ? -value : value
  }
}
