import Foundation

extension String {
  /// The text in one line, with control characters written out.
  package var inOneLine: String {
    if !unicodeScalars.contains(where: { $0.value < 0x20 || $0.isActedUpon }) { return self }
    return replacingOccurrences(of: "\n", with: "⏎").replacingOccurrences(of: "\t", with: " ").visible
  }

  /// The text with the characters that a terminal acts on written out, such as `\\u{1B}`: control characters except
  /// newlines and tabs, and marks that change the writing direction.
  package var visible: String {
    if !unicodeScalars.contains(where: \.isActedUpon) { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isActedUpon {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal acts on the character instead of showing it.
  package var isActedUpon: Bool {
    switch value {
    case 0x09, 0x0A: false
    case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
