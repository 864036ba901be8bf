/// Something in the book that is not as it says: which line to fix, and why.
public struct BookProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, from the package's root.
  public var file: String
  /// The line, from 1; nil if the whole file is meant.
  public var line: Int?
  public var sentence: String

  public init(file: String, line: Int? = nil, _ sentence: String) {
    self.file = file
    self.line = line
    self.sentence = sentence
  }

  /// `Chapters/01-ManualStack/README.md:12: there is no region "context" in …`
  public var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + sentence }
}
