import CoreData
import Foundation
import Testing

/// Predicates that know the type they are about, as libraries of queries have them.
private protocol AboutPredicate: NSPredicate { associatedtype Subject }
private final class AboutCompound<Subject>: NSCompoundPredicate, AboutPredicate {}
private final class AboutComparison<Root>: NSComparisonPredicate, AboutPredicate {
  typealias Subject = Root
  convenience init<Value>(_ key: KeyPath<Root, Value>, _ sign: NSComparisonPredicate.Operator, _ value: Any?) {
    let left =
      key == \Root.self ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: key)
    self.init(leftExpression: left, rightExpression: NSExpression(forConstantValue: value), type: sign)
  }
}
private final class AboutAnything<Subject>: NSPredicate, AboutPredicate {}

private final class Volume: NSObject {
  var title = ""
  var pages = 0
}

private func == <Root, Value: Equatable>(key: KeyPath<Root, Value>, value: Value) -> AboutComparison<Root> {
  AboutComparison(key, .equalTo, value)
}

private func > <Root, Value: Comparable>(key: KeyPath<Root, Value>, value: Value) -> AboutComparison<Root> {
  AboutComparison(key, .greaterThan, value)
}

private func && <One: AboutPredicate, Other: AboutPredicate>(one: One, other: Other) -> AboutCompound<One.Subject>
where One.Subject == Other.Subject {
  AboutCompound(type: .and, subpredicates: [one, other])
}

private prefix func ! <One: AboutPredicate>(one: One) -> AboutCompound<One.Subject> {
  AboutCompound(type: .not, subpredicates: [one])
}

@Suite("Predicates of subclasses that programs write")
struct SubclassedPredicateTests {
  @Test(
    "Comparisons, compounds of them and formats of a program's subclass find what plain ones find, saved or not",
    arguments: StoreKind.withCustom)
  func fetched(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for (title, pages) in [("a", 1), ("b", 2), ("b", 3)] { context.new("Book", ["title": title, "pages": pages]) }
      func found(_ predicate: NSPredicate) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        let found = try context.fetch(request)
        #expect(try context.count(for: request) == found.count)
        #expect(found.allSatisfy { predicate.evaluate(with: $0) })
        return found.compactMap { $0.value(forKey: "pages") as? Int }.sorted()
      }
      for _ in 0..<2 {
        #expect(try found(\Volume.title == "b") == [2, 3])
        #expect(try found(\Volume.title == "b" && \Volume.pages > 2) == [3])
        #expect(try found(!(\Volume.pages > 2)) == [1, 2])
        #expect(try found(!(\Volume.title == "b" && \Volume.pages > 2)) == [1, 2])
        #expect(try found(AboutAnything<Volume>(format: "title == %@ OR pages > %d", "a", 2)) == [1, 3])
        let one = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        #expect(try found(AboutComparison(\NSManagedObject.self, .equalTo, one)).count == 1)
        try context.save()
      }
    }
  }

  @Test("A comparison of a subclass has its parts, and a request prints it and equals it")
  func parts() throws {
    let comparison = \Volume.pages > 200
    #expect(comparison.leftExpression.keyPath == "pages" && comparison.rightExpression.constantValue as? Int == 200)
    #expect(comparison.predicateOperatorType == .greaterThan && comparison.options == [])
    let volume = Volume()
    #expect(!comparison.evaluate(with: volume))
    volume.pages = 201
    #expect(comparison.evaluate(with: volume))
    #expect([Volume(), volume].filter(comparison.evaluate(with:)) == [volume])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = comparison
    #expect(request.predicate?.predicateFormat == "pages > 200" && request.predicate == comparison)
    let variable = AboutAnything<Volume>(format: "pages > $least")
    #expect(variable.evaluate(with: volume, substitutionVariables: ["least": 200]))
    #expect(try variable.checkedEvaluate(with: volume, substitutionVariables: ["least": 300]) == false)
    #expect(variable.withSubstitutionVariables(["least": 200]).evaluate(with: volume))
  }

  @Test("Objects that have the place in memory of one that went are what they were made as")
  func places() {
    for number in 0..<200 {
      let comparison = \Volume.pages > number
      #expect(comparison.rightExpression.constantValue as? Int == number)
      let plain = NSPredicate { object, _ in object as? Int == number }
      #expect(plain.evaluate(with: number))
    }
  }
}
