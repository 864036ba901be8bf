extension String {
  /// The text as a terminal can show it: what a terminal would act upon is written out, as `\\u{1B}`.
  ///
  /// A stored text may hold anything, so all text on its way to a terminal passes through here. Written out are control
  /// characters, which can move the cursor or rename the window, and marks that change the direction of the text after
  /// them. Newlines and tabs stay unless the text is to be one line.
  public func visible(inOneLine: Bool = false) -> String {
    func isActedUpon(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x0A: inOneLine
      case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    guard unicodeScalars.contains(where: isActedUpon) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isActedUpon(scalar) {
        text +=
          scalar == "\n" ? "\\n" : scalar == "\t" ? "\\t" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
