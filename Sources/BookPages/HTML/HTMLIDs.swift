/// Renames the ids in a piece of HTML, and the references to them.
enum HTMLIDs {
  private static let references = ["aria-labelledby", "aria-describedby", "aria-controls", "for"]
  private static let paints = ["marker-end", "marker-start", "fill", "stroke", "clip-path", "mask", "filter"]

  /// - Parameters:
  ///   - link: the new target of a link. If it returns nil, a link `#id` follows the renamed id.
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
