import Foundation
import Synchronization

/// A predicate compiled for evaluation in memory: what the in-memory stores and the overlay of unsaved
/// changes use. It computes what the same predicate computes in SQLite.
///
/// These rules apply where SQL and plain logic differ:
/// - Tests have two outcomes. A comparison with nil is false, except `== nil` and `!=`; so `NOT (x == 1)` is
///   true where x is nil.
/// - Values fall in SQLite's classes: numbers (with Booleans, and dates as seconds since 2001), texts (with
///   URLs), bytes (with UUIDs). Across the classes nothing is equal, and numbers come before texts before
///   bytes. Where one side is a property and the other is not, a number and a text meet in the property's
///   class: `age == "5"` compares numbers, `name == 5` texts.
/// - Strings without options compare by their UTF-8 bytes.
/// - Integers divide as integers; a division by zero is nil.
/// - A to-many key path without ANY means ANY. `ANY` over nothing is false, `ALL` true. `tags == nil` asks
///   whether there are none.
/// - `@sum` of nothing is 0; `@avg`, `@min` and `@max` of nothing are nil; nils are left out.
///
/// Only for one evaluation at a time, because the compiled keys have caches.
final class PredicateEvaluator {
  private let node: PredicateNode
  private let variables: [String: PredicateValue]
  private let test: Test
  /// The layout of the object that was evaluated last, and the predicate prepared for it.
  private var lastLayout: EntityLayout?
  private var slotTest: SlotTest?

  /// Compiles a predicate. Throws an error for what can't be evaluated in memory, and for a variable without a value.
  init(_ node: PredicateNode, variables: [String: PredicateValue] = [:]) throws {
    self.node = node
    self.variables = variables
    test = try publicErrors {
      var compiler = PredicateCompiler(variables: variables)
      return try compiler.test(node)
    }
  }

  /// Whether an object meets the predicate. From the second object of an entity on, the predicate is prepared for its
  /// slots. A single object, or objects whose entity differs each time, don't pay for that.
  func matches(_ object: NSManagedObject) throws -> Bool {
    try publicErrors {
      if object.layout === lastLayout {
        if let slotTest { return try slotTest.matches(object) }
        var compiler = SlotCompiler(layout: object.layout, general: PredicateCompiler(variables: variables))
        slotTest = try compiler.test(node)
      } else {
        lastLayout = object.layout
        slotTest = nil
      }
      var frame = EvaluationFrame(root: .subject(object))
      return try test(&frame)
    }
  }

  /// Whether `subject` meets the predicate. Throws an error for unknown keys, and for values that can't be compared
  /// like this.
  func matches(_ subject: some PredicateSubject) throws -> Bool {
    try matches(PredicateValue.subject(subject))
  }

  /// Whether `value`, being `SELF`, meets the predicate.
  func matches(_ value: PredicateValue) throws -> Bool {
    try publicErrors {
      var frame = EvaluationFrame(root: value)
      return try test(&frame)
    }
  }

  /// What a key path leads to from `subject`.
  static func value(of subject: some PredicateSubject, path: [String]) throws -> PredicateValue {
    try publicErrors { try CompiledKeyPath(path).value(from: .subject(subject)) }
  }

  /// An expression's value for an object.
  static func value(
    of expression: ExpressionNode, for object: Any?, variables: [String: Any] = [:]
  ) throws -> Any? {
    try publicErrors {
      var compiler = PredicateCompiler(variables: variables.mapValues(PredicateValue.init(any:)))
      var frame = EvaluationFrame(root: PredicateValue(any: object))
      return try compiler.term(expression)(&frame).anyValue
    }
  }
}

/// A variable's value that evaluates the expressions for which it is given, because it knows more that they may call.
protocol ExpressionEvaluating {
  func value(of expression: ExpressionNode, for object: Any?, variables: [String: Any]) throws -> Any?
}

/// What an evaluation works on.
struct EvaluationFrame {
  /// `SELF`
  let root: PredicateValue
  /// The variables of the SUBQUERYs around, outermost first.
  var locals: [PredicateValue] = []

  init(root: PredicateValue) { self.root = root }
}

typealias Test = (inout EvaluationFrame) throws -> Bool
typealias Term = (inout EvaluationFrame) throws -> PredicateValue

/// The evaluator of a predicate object: made once, lent to one evaluation at a time.
// @unchecked Sendable: an evaluator is used by one borrower at a time; see `free`.
final class EvaluatorPool: @unchecked Sendable {
  let node: PredicateNode
  private let free = Mutex<Lendable>(Lendable())

  private struct Lendable: @unchecked Sendable { var evaluator: PredicateEvaluator? }

  init(_ node: PredicateNode) { self.node = node }

  func evaluate(_ object: Any?, _ variables: [String: Any]) throws -> Bool {
    guard variables.isEmpty else {
      let values = variables.mapValues(PredicateValue.init(any:))
      return try PredicateEvaluator(node, variables: values).matches(PredicateValue(any: object))
    }
    let lent = free.withLock { lendable in
      let evaluator = lendable
      lendable.evaluator = nil
      return evaluator
    }
    let evaluator = try lent.evaluator ?? PredicateEvaluator(node)
    defer {
      let returned = Lendable(evaluator: evaluator)
      free.withLock { $0 = returned }
    }
    // Most objects are: this cast costs a tenth of making a value of an unknown object.
    if let object = object as? NSManagedObject { return try evaluator.matches(object) }
    return try evaluator.matches(PredicateValue(any: object))
  }
}
