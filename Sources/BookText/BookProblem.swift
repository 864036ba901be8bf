/// A problem in the book: the line to fix, and the reason.
public struct BookProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path from the package's root.
  public var file: String
  /// The line, counted from 1; nil for the whole file.
  public var line: Int?
  public var sentence: String

  public init(file: String, line: Int? = nil, _ sentence: String) {
    self.file = file
    self.line = line
    self.sentence = sentence
  }

  /// One line: `Chapters/01-ManualStack/README.md:12: there is no region "context" in …`
  public var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + sentence }
}
