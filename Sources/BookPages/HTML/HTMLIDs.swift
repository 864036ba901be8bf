/// Gives the ids of a piece of HTML other names, and tells all that refer to them inside of it.
enum HTMLIDs {
  private static let references = ["aria-labelledby", "aria-describedby", "aria-controls", "for"]
  private static let paints = ["marker-end", "marker-start", "fill", "stroke", "clip-path", "mask", "filter"]

  /// - Parameters:
  ///   - link: What a link becomes; links to ids of this piece, `#id`, follow the ids if it says nil.
  static func mapped(
    _ html: String, link: (String) -> String? = { _ in nil }, _ name: (String) -> String
  ) -> String {
    HTMLPiece.pieces(of: html).map { piece in
      guard case .tag(var tag) = piece, !tag.isEnd, !tag.attributes.isEmpty else { return piece.html }
      let before = tag
      for index in tag.attributes.indices {
        let value = tag.attributes[index].value
        switch tag.attributes[index].name {
        case "id": tag.attributes[index].value = name(value)
        case let attribute where references.contains(attribute):
          tag.attributes[index].value = value.split(separator: " ").map { name(String($0)) }.joined(separator: " ")
        case let attribute where paints.contains(attribute) && value.hasPrefix("url(#"):
          tag.attributes[index].value = "url(#\(name(String(value.dropFirst(5).dropLast()))))"
        case "href":
          if let target = link(value) {
            tag.attributes[index].value = target
          } else if value.hasPrefix("#") {
            tag.attributes[index].value = "#" + name(String(value.dropFirst()))
          }
        default: break
        }
      }
      return tag == before ? piece.html : tag.html
    }.joined()
  }
}
