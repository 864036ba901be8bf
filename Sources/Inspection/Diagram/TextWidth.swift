/// Estimates the width of a text in pixels. Fonts differ between systems, so it estimates generously: DejaVu Sans is
/// the widest font that the page may use.
enum TextWidth {
  static func of(_ text: String, size: Double, bold: Bool = false) -> Double {
    let ems = text.unicodeScalars.reduce(0.0) { $0 + width($1) }
    return ems * size * (bold ? 1.1 : 1)
  }

  /// The text, or as much of its beginning as fits, followed by "…".
  static func fitting(_ text: String, in limit: Double, size: Double, bold: Bool = false) -> String {
    if of(text, size: size, bold: bold) <= limit { return text }
    let most = limit - of("…", size: size, bold: bold)
    var cut = ""
    var taken = 0.0
    // A name may be a million letters long, so it is measured once, from its beginning.
    for character in text {
      taken += of(String(character), size: size, bold: bold)
      if taken > most { break }
      cut.append(character)
    }
    return cut + "…"
  }

  private static func width(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "'", "|", "!", ".", ",", ":", ";", " ": 0.34
    case "f", "t", "r", "(", ")", "[", "]", "J", "-": 0.42
    case "m", "M", "W", "@": 0.98
    case "w", "G", "O", "Q", "D", "H", "N", "U", "%": 0.8
    case "A"..."Z", "*", "?": 0.7
    case _ where scalar.value < 0x300: 0.63
    case _ where scalar.value < 0x370: 0
    case _ where scalar.value < 0x1100: 0.7
    default: 1.05
    }
  }
}
