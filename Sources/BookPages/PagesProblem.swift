/// The reason why the pages can't be built, as a sentence that says what to do.
public struct PagesProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ sentence: String) { description = sentence }
}
