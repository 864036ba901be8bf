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
      return parts.map { part in
        part.contains("-") && part.unescapedCount <= longest ? "<span class=\"whole-word\">\(part)</span>" : part
      }.joined(separator: "<wbr>")
    }.joined(separator: " ")
  }

  private static func split(_ word: Substring) -> [String] {
    guard String(word).unescapedCount > longest / 2 else { return [String(word)] }
    var parts = [""]
    for character in word {
      // The two slashes of an address stay together.
      if parts[parts.count - 1].hasSuffix("/"), character != "/" { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts
  }
}

extension String {
  fileprivate var unescapedCount: Int { unescapedFromHTML.count }
}
