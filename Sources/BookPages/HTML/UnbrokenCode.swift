import BookText

/// Inline code whose words stay whole: browsers end lines behind hyphens, and `--merging -com.apple` cut there reads as
/// something else.
enum UnbrokenCode {
  /// Longer words would not fit on a phone; paths may end a line behind a slash.
  private static let longest = 26

  /// - Parameter code: As HTML has it.
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
    // The hyphens of a long option stay with its beginning.
    let name = part.drop { $0 == "-" }
    let rest = name.drop { $0.isLetter || $0.isNumber }
    if name.count == part.count || rest.isEmpty { return part }
    return "<span class=\"whole-word\">\(part[..<rest.startIndex])</span>\(rest)"
  }

  private static func split(_ word: Substring) -> [String] {
    guard String(word).unescapedCount > longest / 2 else { return [String(word)] }
    var parts = [""]
    for character in word {
      // The two slashes of an address stay together, and the one before a path with its first folder.
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
