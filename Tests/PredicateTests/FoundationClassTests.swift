import Foundation
import Testing

@testable import CoreData

@Suite("Foundation's predicate classes")
struct FoundationClassTests {
  @Test("Compounds made by Foundation's initializers print, compare and hash as parsed ones do")
  func compounds() {
    let (name, age) = (NSPredicate(format: "name == 'Kyle'"), NSPredicate(format: "age > 27"))
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [name, age])
    let either = NSCompoundPredicate(
      type: .or, subpredicates: [age, NSCompoundPredicate(type: .not, subpredicates: [both])])
    #expect(both.predicateFormat == "name == \"Kyle\" AND age > 27" && "\(both)" == both.predicateFormat)
    #expect(either.description == "age > 27 OR (NOT (name == \"Kyle\" AND age > 27))")
    #expect(both != either && both == NSPredicate(format: "name == 'Kyle' AND age > 27"))
    let again = NSCompoundPredicate(andPredicateWithSubpredicates: [name, age])
    #expect(both == again && both.hash == again.hash && Set([both, again, either]).count == 2)
  }

  @Test("A parsed predicate is of the class that Apple's parser makes")
  func classes() throws {
    let comparison = NSPredicate(format: "a.b > %d", 3) as? NSComparisonPredicate
    #expect(comparison?.leftExpression.keyPath == "a.b")
    #expect(comparison?.rightExpression.constantValue as? Int == 3)
    #expect(comparison?.predicateOperatorType == .greaterThan)
    #expect(comparison?.comparisonPredicateModifier == .direct)
    let compound = NSPredicate(format: "a == 1 OR NOT b == 2") as? NSCompoundPredicate
    #expect(compound?.compoundPredicateType == .or)
    #expect(compound?.subpredicates.map(\.predicateFormat) == ["a == 1", "NOT b == 2"])
    #expect(NSPredicate(format: "a == %@", argumentArray: ["x"]).predicateFormat == "a == \"x\"")
    #expect(NSPredicate(format: "a == %@ AND b == nil", "x").description == "a == \"x\" AND b == nil")
  }

  @Test("Equal predicates are equal, copies too")
  func equality() {
    let predicate = NSPredicate(format: "a == 1 AND b CONTAINS[c] 'x'")
    #expect(predicate == NSPredicate(format: "a = 1 && b contains[c] \"x\""))
    #expect(predicate.hash == NSPredicate(format: "a = 1 && b contains[c] \"x\"").hash)
    #expect(predicate != NSPredicate(format: "a == 1"))
    #expect(predicate.copy() as? NSPredicate == predicate)
  }

  @Test("Compounds of ours, Foundation's and blocks have a tree and evaluate")
  func mixedCompounds() throws {
    let ours = NSPredicate(format: "pages > 300")
    let block = NSPredicate { object, _ in (object as? [String: Any])?["isNew"] as? Bool == true }
    let all = NSCompoundPredicate(andPredicateWithSubpredicates: [ours, block, NSPredicate(value: true)])
    #expect(all.evaluate(with: Library.book))
    let either = NSCompoundPredicate(
      type: .or,
      subpredicates: [NSPredicate(value: false), NSCompoundPredicate(notPredicateWithSubpredicate: ours)])
    #expect(!either.evaluate(with: Library.book))
    guard case .and(let members) = try all.node, members.count == 3, case .block(let code) = members[1] else {
      Issue.record("not the tree of the compound")
      return
    }
    #expect(members[0] == (try ours.node))
    #expect(members[2] == .constant(true))
    #expect(code.body(Library.book, nil))
    #expect(PredicatePrinter.print(try either.node) == "FALSEPREDICATE OR NOT pages > 300")
    #expect(try all.checkedEvaluate(with: Library.book))
    #expect(try NSCompoundPredicate(andPredicateWithSubpredicates: []).node == .and([]))
  }

  @Test("Comparison predicates built in code print, compare and evaluate as parsed ones")
  func builtComparison() {
    let built = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "title"),
      rightExpression: NSExpression(forConstantValue: "SÜD"),
      modifier: .direct, type: .contains, options: [.caseInsensitive, .diacriticInsensitive])
    #expect(built.predicateFormat == "title CONTAINS[cd] \"SÜD\"")
    #expect(built == NSPredicate(format: "title CONTAINS[cd] 'SÜD'"))
    #expect(built.evaluate(with: Library.book))
    #expect(built.options == [.caseInsensitive, .diacriticInsensitive])
    #expect(built.customSelector == nil)
    let any = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "chapters.pages"),
      rightExpression: NSExpression(format: "15 + 5"),
      modifier: .any, type: .equalTo)
    #expect(any.predicateFormat == "ANY chapters.pages == 15 + 5")
    #expect(any.evaluate(with: Library.book))
  }

  @Test("Expressions of every kind have their parts")
  func expressions() {
    #expect(NSExpression(forConstantValue: 5).constantValue as? Int == 5)
    #expect(NSExpression(forConstantValue: nil).constantValue == nil)
    #expect(NSExpression(forKeyPath: "a.b").expressionType == .keyPath)
    #expect(NSExpression(forVariable: "x").variable == "x")
    #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
    let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "chapters.pages")])
    #expect(sum.function == "sum:")
    #expect(sum.arguments?.first?.keyPath == "chapters.pages")
    #expect(sum.description == "sum:(chapters.pages)")
    #expect(sum.expressionValue(with: Library.book, context: nil) as? Int == 30)
    let aggregate = NSExpression(forAggregate: [
      NSExpression(forConstantValue: 1), NSExpression(forKeyPath: "a"),
    ])
    #expect(aggregate.expressionType == .aggregate)
    #expect((aggregate.collection as? [NSExpression])?.count == 2)
    let subquery = NSExpression(
      forSubquery: NSExpression(forKeyPath: "chapters"), usingIteratorVariable: "c",
      predicate: NSPredicate(format: "$c.pages > 5"))
    #expect(subquery.description == "SUBQUERY(chapters, $c, $c.pages > 5)")
    #expect(subquery.predicate.predicateFormat == "$c.pages > 5")
    let conditional = NSExpression(
      forConditional: NSPredicate(format: "pages > 5"), trueExpression: NSExpression(forConstantValue: "y"),
      falseExpression: NSExpression(forConstantValue: "n"))
    #expect(conditional.expressionValue(with: Library.book, context: nil) as? String == "y")
    #expect(conditional.false.constantValue as? String == "n")
    let block = NSExpression(
      block: { _, arguments, _ in (arguments[0] as! Int) * 2 }, arguments: [NSExpression(forKeyPath: "pages")]
    )
    #expect(block.expressionValue(with: Library.book, context: nil) as? Int == 640)
    let count = NSExpression(format: "SUBQUERY(chapters, $c, $c.pages > %d).@count", 15)
    #expect(count.expressionType == .function)
    #expect(count.function == "valueForKeyPath:")
    #expect(count.operand.expressionType == .subquery)
    #expect(count.expressionValue(with: Library.book, context: nil) as? Int == 1)
    let union = NSExpression(forUnionSet: NSExpression(forKeyPath: "a"), with: NSExpression(forKeyPath: "b"))
    #expect(union.expressionType == .unionSet)
    #expect(union.right.keyPath == "b")
    #expect(
      NSExpression(format: "pages * $x").expressionValue(with: Library.book, context: ["x": 2]) as? Int == 640
    )
    #expect(
      NSPredicate(format: "pages == %@", NSExpression(forKeyPath: "author.age")).predicateFormat
        == "pages == author.age")
  }

  @Test("Objects allocated by hand live and die in great numbers")
  func allocation() {
    final class Witness {
      static nonisolated(unsafe) var alive = 0
      init() { Witness.alive += 1 }
      deinit { Witness.alive -= 1 }
    }
    for _ in 0..<10_000 {
      let expression = NSExpression(forConstantValue: Witness())
      let predicate = NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "a"), rightExpression: expression, modifier: .direct,
        type: .equalTo)
      #expect(predicate.rightExpression.expressionType == .constantValue)
    }
    #expect(Witness.alive == 0)
  }

  @Test("Asking an expression for a part that it lacks ends the program")
  func missingPart() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSExpression(forConstantValue: 5).keyPath
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("The expression has no keyPath."))
  }

  @Test("An unknown key ends the program with key and predicate")
  func unknownKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Point { var x = 1 }
      _ = NSPredicate(format: "nope == 1").evaluate(with: Point())
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("keypath nope not found in entity Point"))
    #expect(text.contains("nope == 1"))
  }
}
