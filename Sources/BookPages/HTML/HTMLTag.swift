/// A tag, with its attributes in order.
struct HTMLTag: Equatable {
  var name: String
  /// The attributes. Their values have no entities.
  var attributes: [Attribute] = []
  var isEnd = false
  /// Whether it ends with `/>`.
  var closesItself = false

  struct Attribute: Equatable {
    var name: String
    var value: String
  }

  init(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    self.name = name
    self.attributes = attributes.map { Attribute(name: $0.key, value: $0.value) }
  }

  /// - Parameter text: the text from `<` to `>`. The result is nil if it isn't a tag, for example a declaration.
  init?(_ text: String) {
    var scanner = CodeScanner(text)
    guard scanner.skip("<") else { return nil }
    isEnd = scanner.skip("/")
    let start = scanner.position
    scanner.skip { !$0.isWhitespace && $0 != ">" && $0 != "/" }
    name = String(scanner.slice(from: start))
    guard name.first?.isLetter == true else { return nil }
    while !scanner.isAtEnd {
      scanner.skip(while: \.isWhitespace)
      if scanner.skip("/>") {
        closesItself = true
      } else if !scanner.skip(">") {
        guard let attribute = Self.attribute(&scanner) else { return nil }
        attributes.append(attribute)
      }
    }
  }

  private static func attribute(_ scanner: inout CodeScanner) -> Attribute? {
    let start = scanner.position
    scanner.skip { !$0.isWhitespace && $0 != "=" && $0 != ">" && $0 != "/" }
    let name = String(scanner.slice(from: start))
    guard !name.isEmpty else { return nil }
    guard scanner.skip("=") else { return Attribute(name: name, value: "") }
    guard let mark = scanner.next, mark == "\"" || mark == "'" else { return nil }
    scanner.advance()
    let first = scanner.position
    scanner.skip { $0 != mark }
    let value = String(scanner.slice(from: first))
    scanner.advance()
    return Attribute(name: name, value: value.unescapedFromHTML)
  }

  subscript(attribute: String) -> String? {
    get { attributes.first { $0.name == attribute }?.value }
    set {
      let index = attributes.firstIndex { $0.name == attribute }
      switch (index, newValue) {
      case (let index?, let value?): attributes[index].value = value
      case (let index?, nil): attributes.remove(at: index)
      case (nil, let value?): attributes.append(Attribute(name: attribute, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Whether the element has no end tag.
  var isVoid: Bool { ["br", "hr", "img", "input", "link", "meta", "wbr"].contains(name) || closesItself }

  var html: String {
    let values = attributes.map { " \($0.name)=\"\($0.value.escapedForHTML)\"" }.joined()
    return isEnd ? "</\(name)>" : "<\(name)\(values)\(closesItself ? "/" : "")>"
  }
}
