import Foundation

/// Gives Foundation's `NSPredicate` the initializers that it lacks on Linux.
///
/// Foundation declares them unavailable. An initializer of a protocol extension may assign `self`, so that it
/// can return an object of a subclass, as Apple's parser does.
public protocol _PredicateInitializers {}

extension NSPredicate: _PredicateInitializers {}

extension _PredicateInitializers {
  /// Makes a predicate from a format. `%@`, `%K`, `%d` and so on stand for the arguments, in order.
  ///
  ///     let predicate = NSPredicate(format: "%K CONTAINS %@ AND pages > %d", "author.name", "Le Guin", 300)
  ///     print(predicate)  // author.name CONTAINS "Le Guin" AND pages > 300
  ///     print(predicate.evaluate(with: book))  // true
  ///
  /// A malformed format ends the program with a sentence that shows the place. For what a user types, use
  /// `NSPredicate.parsing(_:arguments:)`, which throws instead. If there are no arguments at all, those that the format
  /// asks for are nil, with a warning; `%K` is an error.
  public init(format predicateFormat: String, _ arguments: Any?...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Makes a predicate from a format, with the arguments in an array. Extra arguments are ignored.
  public init(format predicateFormat: String, argumentArray arguments: [Any?]?) {
    do {
      let arguments = ArgumentList.given(arguments ?? [], for: predicateFormat)
      let node = try PredicateParser.predicate(predicateFormat, arguments: arguments)
      self = NSPredicate.make(node, as: Self.self)
    } catch {
      misuse(.malformedPredicate(predicateFormat, error: error))
    }
  }

  /// Makes a predicate from a format, with the arguments in a C list, from `getVaList(_:)` or `withVaList(_:_:)`.
  ///
  /// Each conversion takes the type that C passes: `%d` an `Int32`, `%ld` an `Int`, `%f` a `Double`, `%@` an object. As
  /// in C, an argument of the wrong size, or a missing one, can't be detected.
  public init(format predicateFormat: String, arguments argList: CVaListPointer) {
    do {
      let arguments = try ArgumentList.values(for: predicateFormat, from: argList)
      let node = try PredicateParser.predicate(predicateFormat, arguments: arguments)
      self = NSPredicate.make(node, as: Self.self)
    } catch {
      misuse(.malformedPredicate(predicateFormat, error: error))
    }
  }
}

extension _PredicateInitializers where Self: NSPredicate {
  /// The predicate with `$variables` replaced by values. A variable without a value stays.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    do {
      let values = variables.mapValues { ExpressionNode(value: $0) }
      let result = try node.substituting(values)
      guard result.fits() else { throw Failure.deepPredicate }
      return NSPredicate.make(result, as: Self.self)
    } catch {
      misuse(.predicateWithoutTree(self, error: error))
    }
  }
}

extension _PredicateInitializers where Self: NSPredicate {
  /// Does nothing: predicates are not archived, so they are never locked against evaluation.
  public func allowEvaluation() {}
}

extension NSPredicate {
  /// Makes a predicate from a format. Throws an error that says what was expected where.
  ///
  /// This is the throwing twin of `NSPredicate(format:argumentArray:)`, for formats that a user types.
  public static func parsing(_ format: String, arguments: [Any?] = []) throws -> NSPredicate {
    try publicErrors { make(try PredicateParser.predicate(format, arguments: arguments)) }
  }

  /// Whether `object` meets the predicate. Throws an error where `evaluate(with:)` ends the program: for unknown keys,
  /// for variables without a value, and for values that can't be compared like this.
  public func checkedEvaluate(with object: Any?, substitutionVariables variables: [String: Any] = [:]) throws
    -> Bool
  {
    if let own { return try own.evaluators.evaluate(object, variables) }
    return try EvaluatorPool(node).evaluate(object, variables)
  }

  /// The predicate as a tree, whether it is ours, Foundation's, or a compound of both.
  ///
  /// A block, and a subclass that a program wrote, is a `block` node.
  var node: PredicateNode {
    get throws {
      if let own { return own.storedNode }
      return try node(levels: PredicateNode.maximalDepth)
    }
  }

  /// This predicate, if it is of a class of this module. The most frequent class is asked for first: a cast to a
  /// protocol costs more than the rest of the question.
  private var own: (any NodePredicate)? {
    if type(of: self) == ComparisonNodePredicate.self { return unsafeDowncast(self, to: ComparisonNodePredicate.self) }
    return self as? any NodePredicate
  }

  private func node(levels: Int) throws -> PredicateNode {
    if let own {
      guard levels == PredicateNode.maximalDepth || own.storedNode.fits(levels) else {
        throw Failure.deepPredicate.nsError
      }
      return own.storedNode
    }
    if let compound = self as? NSCompoundPredicate {
      guard levels > 1 else { throw Failure.deepPredicate.nsError }
      let members = try compound.subpredicates.map { try $0.node(levels: levels - 1) }
      switch compound.compoundPredicateType {
      case .and: return .and(members)
      case .or: return .or(members)
      case .not:
        guard members.count == 1 else {
          throw Failure.malformedPredicate(
            format: "NOT", offset: nil, what: "a NOT predicate needs one subpredicate, not \(members.count)"
          )
        }
        return .not(members[0])
      }
    }
    if let own = SubclassedPredicate.of(self) {
      guard own.evaluators.node.fits(levels) else { throw Failure.deepPredicate.nsError }
      return own.evaluators.node
    }
    if type(of: self) == NSPredicate.self {
      switch quietFormat {
      case "TRUEPREDICATE": return .constant(true)
      case "FALSEPREDICATE": return .constant(false)
      case "BLOCKPREDICATE": break
      case let format:
        throw Failure.unsupportedFeature("The predicate \(format) of Foundation's own").nsError
      }
    } else if self is FoundationComparisonPredicate {
      throw Failure.unsupportedFeature("A subclass of NSComparisonPredicate (\(type(of: self)))").nsError
    }
    return .block(BlockPredicate { self.evaluate(with: $0, substitutionVariables: $1) })
  }
}

extension Failure {
  /// The sentence of an error of this room, in either of its forms.
  static func words(of error: any Error) -> String {
    (error as? Failure)?.description ?? (error as NSError).localizedDescription
  }
}

extension MisuseReport {
  static func malformedPredicate(_ format: String, error: any Error) -> MisuseReport {
    MisuseReport(
      Failure.words(of: error),
      facts: [("Call", "NSPredicate(format:)")], how: "",
      remedy: "Correct the format. For text that a user types, NSPredicate.parsing(_:arguments:) throws this "
        + "as an error.")
  }

  static func formatWithoutArguments(_ format: String) -> MisuseReport {
    MisuseReport(
      "The format \(PredicateLiteral.quoted(format)) asks for arguments and was given none, so each is nil.",
      how: "", remedy: "Pass them behind the format. A percent sign of a text stands between quotes.")
  }

  static func predicateNotEvaluable(_ node: PredicateNode, object: Any?, error: any Error) -> MisuseReport {
    MisuseReport(
      Failure.words(of: error),
      facts: [
        ("Call", "NSPredicate.evaluate(with:)"), ("Predicate", PredicatePrinter.print(node)),
        ("Object", object.map { "\($0)" } ?? "nil"),
      ],
      how: "", remedy: "checkedEvaluate(with:substitutionVariables:) throws this as an error.")
  }

  static func predicateWithoutTree(_ predicate: NSPredicate, error: any Error) -> MisuseReport {
    MisuseReport(
      Failure.words(of: error),
      facts: [("Predicate", "\(predicate)")], how: "",
      remedy: "Build the predicate with NSPredicate(format:) or from NSExpressions.")
  }
}
