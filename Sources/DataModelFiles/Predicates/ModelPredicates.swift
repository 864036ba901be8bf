import Foundation

/// Predicates and expressions of model files.
///
/// The tree, parser and printer of the format language are in the folder `Language` beside this file. The module
/// `CoreData` compiles that folder, too, by a link in its own sources. So parsing needs no calls between modules, and
/// there the parser takes a program's arguments and throws its errors. This file has the code for models.
extension PredicateNode {
  /// nil for a text that is not in the format language.
  init?(modelText text: String) {
    guard let node = try? PredicateParser.predicate(text) else { return nil }
    self = node
  }

  var modelText: String { PredicatePrinter.print(self, style: .words) }
}

extension ExpressionNode {
  /// nil for a text that is not in the format language.
  init?(modelText text: String) {
    guard let node = try? PredicateParser.expression(text) else { return nil }
    self = node
  }

  var modelText: String { PredicatePrinter.print(self, style: .words) }

  /// `FUNCTION(operand, "selector:", arguments…)`
  static func method(
    _ selector: String, of operand: ExpressionNode, _ arguments: [ExpressionNode]
  ) -> ExpressionNode {
    .function(PredicateFunction.methodCall, [operand, .constant(.string(selector))] + arguments)
  }
}

extension PredicateParser {
  // A file has no arguments.

  mutating func argument() throws -> ExpressionNode { throw unexpected("a value") }

  mutating func keyPathArgument() throws -> ExpressionNode { throw unexpected("a key") }
}

extension PredicateSyntaxError {
  func failure(in format: String) -> PredicateSyntaxError { self }
}

extension PredicateConstant {
  /// A text that is no URI stays a text.
  init(_ value: DataModel.Value) {
    switch value {
    case .boolean(let flag): self = .bool(flag)
    case .integer(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .decimal(let number): self = .decimal(number)
    case .string(let text): self = .string(text)
    case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data(let bytes): self = .data(Data(bytes))
    case .uuid(let uuid): self = .uuid(uuid)
    case .uri(let text): self = URL(string: text).map(PredicateConstant.url) ?? .string(text)
    }
  }
}

extension DataModel.Value {
  /// nil for what is no value of a model: nil, several values, a program's objects.
  init?(_ constant: PredicateConstant) {
    switch constant {
    case .bool(let flag): self = .boolean(flag)
    case .int(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .decimal(let number): self = .decimal(number)
    case .string(let text): self = .string(text)
    case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
    case .data(let data): self = .data(Array(data))
    case .uuid(let uuid): self = .uuid(uuid)
    case .url(let url): self = .uri(url.relativeString)
    case .nothing, .collection, .object, .other: return nil
    }
  }
}
