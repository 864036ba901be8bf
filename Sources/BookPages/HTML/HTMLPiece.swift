/// HTML as a sequence of tags, comments and texts. It is meant for well-formed output of programs, and loses nothing.
enum HTMLPiece: Equatable {
  case tag(HTMLTag)
  case comment(String)
  case text(String)

  static func pieces(of html: String) -> [HTMLPiece] {
    var pieces: [HTMLPiece] = []
    var scanner = CodeScanner(html)
    while !scanner.isAtEnd {
      let start = scanner.position
      if scanner.skip("<!--") {
        scanner.skip(behind: "-->")
        pieces.append(.comment(String(scanner.slice(from: start))))
      } else if scanner.next == "<" {
        skipTag(&scanner)
        let text = String(scanner.slice(from: start))
        pieces.append(HTMLTag(text).map(HTMLPiece.tag) ?? .text(text))
      } else {
        scanner.skip { $0 != "<" }
        pieces.append(.text(String(scanner.slice(from: start))))
      }
    }
    return pieces
  }

  /// A `>` in the value of an attribute doesn't end the tag.
  private static func skipTag(_ scanner: inout CodeScanner) {
    var mark: Character?
    while let next = scanner.next {
      scanner.advance()
      if let open = mark {
        if next == open { mark = nil }
      } else if next == "\"" || next == "'" {
        mark = next
      } else if next == ">" {
        return
      }
    }
  }

  var html: String {
    switch self {
    case .tag(let tag): tag.html
    case .comment(let text), .text(let text): text
    }
  }
}

extension [HTMLPiece] {
  var html: String { map(\.html).joined() }

  /// The text that a reader sees.
  var plainText: String {
    compactMap { piece in
      if case .text(let text) = piece { text.unescapedFromHTML } else { nil }
    }.joined()
  }
}

extension String {
  /// The text with the entities for these characters replaced.
  var unescapedFromHTML: String {
    // Few texts contain an entity.
    guard utf8.contains(UInt8(ascii: "&")) else { return self }
    return replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
