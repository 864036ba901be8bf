import Foundation

/// An error or oddity in a data model file, with its place.
public struct DataModelProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Severity: String, Sendable {
    case error
    case warning
  }

  public var severity: Severity
  public var file: String
  /// The line number, counted from 1; nil if the file has no lines.
  public var line: Int?
  public var entity: String?
  public var property: String?
  public var message: String

  public init(
    _ severity: Severity, file: String, line: Int? = nil, entity: String? = nil, property: String? = nil,
    message: String
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// One line in the form of a compiler diagnostic: `file:line: error: Book.title: …`. Names and values may come from
  /// anywhere, so characters that a terminal acts on are written out.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
    return "\(place): \(severity.rawValue): \(subject.isEmpty ? "" : subject + ": ")\(message)".inOneLine
  }
}

/// The error for a data model that can't be used. It lists all problems, at least one.
public struct InvalidDataModel: Error, Sendable, CustomStringConvertible, LocalizedError {
  public var problems: [DataModelProblem]

  public init(problems: [DataModelProblem]) { self.problems = problems }

  public init(file: String, line: Int? = nil, message: String) {
    problems = [DataModelProblem(.error, file: file, line: line, message: message)]
  }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
  public var errorDescription: String? { description }
}
