import Foundation

/// A decimal as a keyed archive has it: the fields of an `NSDecimalNumber`.
package struct ArchivedDecimal {
  package static let classes = ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]

  /// `NS.mantissa`: up to eight units of 16 bits, the least one first, each as `isBigEndian` says.
  package let mantissa: [UInt8]
  /// `NS.length`: how many units there are. None is zero, or with a sign no number at all.
  package let length: Int64
  /// `NS.exponent`, of ten.
  package let exponent: Int64
  /// `NS.negative`.
  package let isNegative: Bool
  /// Whether `NS.mantissa.bo` is 2; we write 1.
  package let isBigEndian: Bool

  package init(_ decimal: Decimal) {
    let digits = decimal.isNaN ? 0 : UInt128("\(decimal.significand.magnitude)") ?? 0
    mantissa = (0..<16).map { UInt8(truncatingIfNeeded: digits >> UInt128($0 * 8)) }
    length = Int64((128 - digits.leadingZeroBitCount + 15) / 16)
    exponent = decimal.isNaN ? 0 : Int64(decimal.exponent)
    isNegative = decimal.isNaN || decimal.sign == .minus
    isBigEndian = false
  }

  /// nil if a field has a value that no decimal has.
  package init?(mantissa: [UInt8], length: Int64, exponent: Int64, isNegative: Bool, isBigEndian: Bool) {
    guard mantissa.count == 16, (0...8).contains(length), (-128...127).contains(exponent) else { return nil }
    (self.mantissa, self.length, self.exponent) = (mantissa, length, exponent)
    (self.isNegative, self.isBigEndian) = (isNegative, isBigEndian)
  }

  package var decimal: Decimal? {
    if length == 0 { return isNegative ? .nan : 0 }
    var digits: UInt128 = 0
    for unit in (0..<Int(length)).reversed() {
      let (first, second) = (UInt128(mantissa[unit * 2]), UInt128(mantissa[unit * 2 + 1]))
      digits = digits << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    guard let significand = Decimal(string: "\(digits)") else { return nil }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: significand)
  }
}
