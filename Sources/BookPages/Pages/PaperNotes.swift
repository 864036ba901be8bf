/// Adds the addresses of links to other sites as notes, for readers on paper, who can't follow a link.
enum PaperNotes {
  /// - Returns: the page with a number after each such link, and the addresses at its end. Screens don't show them.
  static func added(to html: String) -> String {
    var addresses: [String] = []
    var result = ""
    var number: Int?
    for piece in HTMLPiece.pieces(of: html) {
      result += piece.html
      guard case .tag(let tag) = piece, tag.name == "a" else { continue }
      if let address = tag["href"], address.hasPrefix("http") {
        number = (addresses.firstIndex(of: address) ?? addresses.count) + 1
        if number! > addresses.count { addresses.append(address) }
      } else if tag.isEnd, let note = number {
        result += "<sup class=\"on-paper\">\(note)</sup>"
        number = nil
      }
    }
    guard !addresses.isEmpty else { return html }
    let items = addresses.map { "<li>\($0.escapedForHTML)</li>\n" }.joined()
    return result + "\n<ol class=\"notes on-paper\">\n\(items)</ol>"
  }
}
