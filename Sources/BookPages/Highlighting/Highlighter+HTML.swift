extension String {
  /// The text escaped for HTML, for use between tags and in attributes.
  package var escapedForHTML: String {
    var result = ""
    result.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Token {
  /// The token in a `span` with its kind's class. Plain text has none.
  var html: String {
    let text = String(text).escapedForHTML
    switch kind {
    case .plain: return text
    // On a phone, a command's line has to break somewhere.
    case .command: return "<span class=\"command\">\(UnbrokenCode.html(of: text))</span>"
    case .string: return "<span class=\"string\">\(Self.unbrokenOpening(of: text))</span>"
    default: return "<span class=\"\(kind.rawValue)\">\(text)</span>"
    }
  }

  /// A part of a string that ends where code is interpolated: browsers would break the line after the backslash.
  private static func unbrokenOpening(of text: String) -> String {
    guard text.hasSuffix("("), let start = text.lastIndex(of: "\\") else { return text }
    return "\(text[..<start])<span class=\"whole-word\">\(text[start...])</span>"
  }
}

extension Highlighter {
  /// `text` with its tokens in spans.
  static func html(of text: String, language: String) -> String {
    tokens(of: text, language: language).map(\.html).joined()
  }
}
