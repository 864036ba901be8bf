/// A stretch of code and what it is.
///
/// The tokens of a text, put together, are the text: a highlighter that gets something wrong may colour it wrong, and
/// never loses or changes a character.
public struct Token: Equatable, Sendable {
  /// What a stretch is. The raw value is the class that the page's style sheet knows.
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
    /// A message that something went wrong.
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
