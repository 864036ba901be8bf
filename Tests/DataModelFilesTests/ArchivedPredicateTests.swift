import DataModelFiles
import Foundation
import Testing

@Suite("Predicates of compiled models")
struct ArchivedPredicateTests {
  private func compiled(_ format: String) throws -> (listing: ArchiveListing, text: String?) {
    var model = DataModel(name: "M")
    model.entities = [DataModel.Entity(name: "E")]
    model.fetchRequestTemplates = [.init(name: "t", entityName: "E", predicateFormat: format)]
    let bytes = CompiledModelFiles.mom(model)
    let back = try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom").model
    return (try ArchiveListing(bytes), back.fetchRequestTemplates.first?.predicateFormat)
  }

  private func archive(of format: String) throws -> String {
    try compiled(format).listing.lines.first { $0.contains("NSFetchRequestTemplates") } ?? ""
  }

  @Test(
    "A predicate is archived as objects, and comes back with the same meaning",
    arguments: [
      ("name LIKE \"Duck*\"", "name LIKE \"Duck*\""),
      ("booleanAttribute = YES", "booleanAttribute == YES"),
      ("a == 1 AND b > 5", "a == 1 AND b > 5"),
      ("a == 1 && (b <> 2.5 || !(c =< -3))", "a == 1 AND (b != 2.5 OR NOT c <= -3)"),
      ("ANY parts.name CONTAINS[cd] 'x\"y'", "ANY parts.name CONTAINS[cd] \"x\\\"y\""),
      ("NONE parts.size IN {1, 2, 3}", "NOT ANY parts.#size IN {1, 2, 3}"),
      ("$FETCH_SOURCE.name == SELF.name", "$FETCH_SOURCE.name == SELF.name"),
      ("parts.@count > $least", "parts.@count > $least"),
      ("(a + b) * 2 BETWEEN {1, 10}", "(a + b) * 2 BETWEEN {1, 10}"),
      ("lowercase:(name) BEGINSWITH[c] \"x\" and made != nil", "lowercase:(name) BEGINSWITH[c] \"x\" AND made != nil"),
      ("name MATCHES \"[a-z]+\\\\\\\\.\"", "name MATCHES \"[a-z]+\\\\\\\\.\""),
      ("a & 1 == 1", "a & 1 == 1"), ("name == nil", "name == nil"),
      ("FUNCTION(name, 'lowercase') == 'a'", "FUNCTION(name, \"lowercase\") == \"a\""),
      ("price > CAST('1.5', 'NSDecimalNumber')", "price > CAST(\"1.5\", \"NSDecimalNumber\")"),
      ("TRUEPREDICATE", "TRUEPREDICATE"), ("made < now()", "made < now()"),
    ])
  func texts(format: String, expected: String) throws {
    let archive = try archive(of: format)
    #expect(!archive.contains("StrataPredicateFormat"))
    #expect(archive.contains("NSPredicate: NS"))
    let text = try compiled(format).text
    #expect(text == expected.replacingOccurrences(of: "SELF.name", with: "name"))
  }

  @Test(
    "What the compiler can't read stays text",
    arguments: [
      "SUBQUERY(parts, $p, $p.size > 1).@count > 0", "name ==", "parts[0] == 1", "\"open", "%K == 1",
      "TERNARY(a > 1, b, c) == 1", "a BEGINSWITH[w] 'x'", "name isKindOfClass: 'x'", "a UNION b == c",
      String(repeating: "a + ", count: 200) + "a == 1",
    ])
  func kept(format: String) throws {
    #expect(try compiled(format).text == format)
    #expect(try archive(of: format).contains("NSPredicate: null"))
  }

  @Test("Each operator and expression is of the class that Apple's archives have")
  func classes() throws {
    let expected = [
      ("a == 1", "NSEqualityPredicateOperator < NSPredicateOperator < NSObject"),
      ("a != 1", "NSNegate: bool true"), ("a < 1", "NSComparisonPredicateOperator < NSPredicateOperator"),
      ("a LIKE 'x'", "NSLikePredicateOperator < NSMatchingPredicateOperator < NSStringPredicateOperator"),
      ("a ENDSWITH 'x'", "NSSubstringPredicateOperator"), ("a ENDSWITH 'x'", "NSPosition: int 1"),
      ("a IN {1}", "NSInPredicateOperator"), ("a BETWEEN {1, 2}", "NSBetweenPredicateOperator"),
      ("NOT a == 1", "NSCompoundPredicateType: int 0"), ("a == nil", "NSConstantValue: null"),
      ("a.b == 1", "NSSelectorName: -> \"valueForKeyPath:\""), ("a == 1", "NSSelectorName: -> \"valueForKey:\""),
      ("$x.b == 1", "NSExpressionType: int 4, NSOperand: NSVariableExpression"),
      ("a == now()", "NSConstantValueClassName: -> \"_NSPredicateUtilities\""),
      ("a == YES", "NSConstantValue: -> bool true"),
    ]
    for (format, part) in expected { #expect(try archive(of: format).contains(part), "\(format): \(part)") }
  }

  @Test("Derivations, partial indexes, fetched properties and validation are archived as objects too")
  func others() throws {
    let contents = """
      <model><entity name="A">
        <attribute name="n" attributeType="Integer 32"/>
        <attribute name="t" attributeType="String"/>
        <attribute name="d" attributeType="String" derived="YES" derivationExpression="canonical:(t)"/>
        <fetchedProperty name="f"><fetchRequest name="r" entity="A" predicateString="n &gt; $FETCH_SOURCE.n"/>
        </fetchedProperty>
        <fetchIndex name="i" partialIndexPredicate="n &gt; 2"><fetchIndexElement property="n" order="ascending"/>
        </fetchIndex>
      </entity></model>
      """
    var model = try SourceModelReader.model(contents: Array(contents.utf8), name: "M", file: "contents").model
    let bytes = CompiledModelFiles.mom(model)
    let lines = try ArchiveListing(bytes).lines
    func line(_ start: String) -> String { lines.first { $0.hasPrefix(start) } ?? "" }
    #expect(line("A.d NSDerivationExpression").contains("NSFunctionExpression < NSExpression"))
    #expect(line("A.f NSFetchRequest").contains("NSVariableExpression"))
    #expect(line("A NSFetchIndexDescriptions").contains("NSPartialIndexPredicate: NSComparisonPredicate"))
    #expect(!lines.contains { $0.contains("Strata") })

    // Rules that are no limits are known from compiled models only.
    let rule = "(length > 3) AND SELF != \"none\""
    model.entities[0].attributes[1].validationRules = [.init(predicateFormat: rule, warning: .integer(1550))]
    let back = try CompiledModelFiles.model(mom: CompiledModelFiles.mom(model), name: "M", file: "M.mom").model
    let read = try #require(back.entity(named: "A")?.attributes.first { $0.name == "t" }?.validationRules)
    #expect(read.map(\.predicateFormat) == ["length > 3 AND SELF != \"none\""])
    #expect(read.first?.warning == .integer(1550))
    #expect(back.entity(named: "A")?.fetchIndexes.first?.partialIndexPredicate == "n > 2")
    #expect(back.entity(named: "A")?.attributes.first { $0.name == "d" }?.derivationExpression == "canonical:(t)")
  }
}
