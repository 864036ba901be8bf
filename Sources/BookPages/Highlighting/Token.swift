/// A piece of code, and its kind.
///
/// The tokens of a text joined together are the text. A highlighter that is wrong may choose the wrong colour, but
/// never loses or changes a character.
public struct Token: Equatable, Sendable {
  /// The kind of a piece. The raw value is its class in the style sheet.
  public enum Kind: String, CaseIterable, Sendable {
    case plain
    case keyword
    case type
    case string
    case number
    case comment
    case attribute
    /// What a person typed at a prompt.
    case command
    /// An error message.
    case failure
    case inserted
    case deleted
  }

  public let kind: Kind
  public let text: Substring

  public init(kind: Kind, text: Substring) {
    self.kind = kind
    self.text = text
  }
}
