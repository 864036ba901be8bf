import BookText

/// Inline code whose words aren't broken. Browsers break lines after hyphens, and `--merging -com.apple` broken there
/// reads as something else.
enum UnbrokenCode {
  /// The greatest length of an unbroken word, because longer ones wouldn't fit on a phone. Paths may break after a
  /// slash.
  private static let longest = 26

  /// - Parameter code: the code as HTML.
  static func html(of code: String) -> String {
    guard code.contains("-") || code.count > longest else { return code }
    return code.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.contains("-") || word.contains("/") else { return String(word) }
      let parts = split(word)
      return parts.map(unbroken).joined(separator: "<wbr>")
    }.joined(separator: " ")
  }

  private static func unbroken(_ part: String) -> String {
    if !part.contains("-") { return part }
    if part.unescapedCount <= longest { return "<span class=\"whole-word\">\(part)</span>" }
    // The hyphens of a long option stay with its first word.
    let name = part.drop { $0 == "-" }
    let rest = name.drop { $0.isLetter || $0.isNumber }
    if name.count == part.count || rest.isEmpty { return part }
    return "<span class=\"whole-word\">\(part[..<rest.startIndex])</span>\(rest)"
  }

  private static func split(_ word: Substring) -> [String] {
    guard String(word).unescapedCount > longest / 2 else { return [String(word)] }
    var parts = [""]
    for character in word {
      // The two slashes in a URL stay together, and a path's first slash stays with the first folder.
      let part = parts[parts.count - 1]
      if part.hasSuffix("/"), character != "/", part.contains(where: { $0 != "/" }) { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts
  }
}

extension String {
  fileprivate var unescapedCount: Int { unescapedFromHTML.count }
}
