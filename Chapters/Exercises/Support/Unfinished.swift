/// Thrown where the learner's code belongs.
public struct Unfinished: Error, CustomStringConvertible {
  /// What is to be made true.
  public let task: String

  public init(_ task: String) { self.task = task }

  public var description: String { "Not written yet: \(task)" }
}
