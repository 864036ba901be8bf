import Foundation

/// Thrown where the learner's code belongs.
public struct Unfinished: LocalizedError, CustomStringConvertible {
  /// What is to be made true.
  public let task: String

  public init(_ task: String) { self.task = task }

  public var description: String { "Not written yet: \(task)" }

  /// The same where Core Data makes an `NSError` of it.
  public var errorDescription: String? { description }
}
