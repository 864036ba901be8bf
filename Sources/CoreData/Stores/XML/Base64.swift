internal import DataModelFiles

/// Base64 from bytes to bytes. Foundation's takes strings, and can skip characters that don't belong.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each byte as a digit; 64 for white space, 65 for `=`, 255 for other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    for space in [0x20, 0x09, 0x0A, 0x0D] { values[space] = 64 }
    values[Int(UInt8(ascii: "="))] = 65
    return values
  }()

  static func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let rest = min(bytes.count - index, 3)
      var bits = UInt32(bytes[index]) << 16
      if rest > 1 { bits |= UInt32(bytes[index + 1]) << 8 }
      if rest > 2 { bits |= UInt32(bytes[index + 2]) }
      output.append(digits[Int(bits >> 18)])
      output.append(digits[Int(bits >> 12 & 63)])
      output.append(rest > 1 ? digits[Int(bits >> 6 & 63)] : UInt8(ascii: "="))
      output.append(rest > 2 ? digits[Int(bits & 63)] : UInt8(ascii: "="))
      index += 3
    }
  }

  /// The decoded bytes; nil unless the text consists of whole groups of four digits. White space is skipped.
  static func decode(_ text: MarkupText) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3)
    var (bits, count, padding) = (UInt32(0), 0, 0)
    for byte in text {
      let value = values[Int(byte)]
      switch value {
      case 64: continue
      case 255: return nil
      case 65:
        padding += 1
        if padding > 2 { return nil }
        bits <<= 6
      default:
        if padding > 0 { return nil }
        bits = bits << 6 | UInt32(value)
      }
      count += 1
      guard count == 4 else { continue }
      output.append(UInt8(truncatingIfNeeded: bits >> 16))
      if padding < 2 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
      if padding < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
      (bits, count) = (0, 0)
    }
    return count == 0 ? output : nil
  }
}
