import Testing

@testable import CoreData

@Suite("Limits of attributes")
struct AttributeLimitsTests {
  @Test("A limit is within what it allows")
  func inclusive() {
    let limits = AttributeLimits(minNumber: 1, maxNumber: 10)
    #expect(limits.violations(of: NSNumber(value: 1)).isEmpty)
    #expect(limits.violations(of: NSNumber(value: 10)).isEmpty)
    #expect(limits.violations(of: NSNumber(value: 0)) == [.numberTooSmall(limit: 1)])
    #expect(limits.violations(of: 11) == [.numberTooLarge(limit: 10)])
  }

  @Test("Dates are compared with the limits for dates")
  func dates() {
    let noon = Date(timeIntervalSinceReferenceDate: 43_200)
    let limits = AttributeLimits(minDate: noon, maxDate: noon)
    #expect(limits.violations(of: noon).isEmpty)
    #expect(limits.violations(of: noon - 1).map(\.code) == [NSValidationDateTooSoonError])
    #expect(limits.violations(of: noon + 1).map(\.code) == [NSValidationDateTooLateError])
  }

  @Test("The length of a string counts UTF-16 code units")
  func lengths() {
    let limits = AttributeLimits(minLength: 2, maxLength: 3)
    #expect(limits.violations(of: "a").map(\.code) == [NSValidationStringTooShortError])
    #expect(limits.violations(of: "\u{1F600}").isEmpty)
    #expect(limits.violations(of: "abcd").map(\.code) == [NSValidationStringTooLongError])
  }

  @Test("A pattern has to match the whole string")
  func pattern() {
    let limits = AttributeLimits(pattern: "[0-9]+|x")
    #expect(limits.violations(of: "123").isEmpty)
    #expect(limits.violations(of: "x").isEmpty)
    #expect(limits.violations(of: "123a") == [.stringPatternMatching(pattern: "[0-9]+|x")])
    #expect(limits.violations(of: "x\n").count == 1)
  }

  @Test("A nil value breaks no limit")
  func nothing() {
    #expect(AttributeLimits(minNumber: 1, minLength: 1).violations(of: nil).isEmpty)
  }

  @Test("Limits show as validation predicates with their codes")
  func asPredicates() {
    let title = attribute("title")
    title.limits = AttributeLimits(minLength: 2, pattern: "[a-z]*")
    #expect(
      title.validationWarnings as? [Int]
        == [NSValidationStringTooShortError, NSValidationStringPatternMatchingError])
    #expect(title.validationPredicates.map { $0.evaluate(with: "a") } == [false, true])
    #expect(title.validationPredicates.map { $0.evaluate(with: "AB") } == [true, false])
  }

  @Test("Limits have the forms that Apple's model compiler writes, and can be taken apart")
  func forms() throws {
    let limits = AttributeLimits(
      minNumber: 9_007_199_254_740_993, maxNumber: Decimal(string: "1.06"),
      minDate: Date(timeIntervalSinceReferenceDate: 0),
      maxDate: Date(timeIntervalSinceReferenceDate: 120.5), minLength: 1, maxLength: 8, pattern: "[a-z]*")
    #expect(
      limits.rules.map(\.predicate.predicateFormat) == [
        "SELF >= 9007199254740993", "SELF <= 1.06", "timeIntervalSinceReferenceDate >= 0",
        "timeIntervalSinceReferenceDate <= 120.5", "length >= 1", "length <= 8", "SELF MATCHES \"[a-z]*\"",
      ])
    let least = try #require(limits.rules[0].predicate as? NSComparisonPredicate)
    #expect(least.predicateOperatorType == .greaterThanOrEqualTo && least.comparisonPredicateModifier == .direct)
    #expect((least.rightExpression.constantValue as? NSNumber)?.stringValue == "9007199254740993")
    let from = limits.rules[2].predicate
    #expect(from.evaluate(with: Date(timeIntervalSinceReferenceDate: 0)))
    #expect(!from.evaluate(with: Date(timeIntervalSinceReferenceDate: -1)))
  }
}
