import Testing

@testable import DataModelFiles

/// Requests as Xcode's compiler archives them: predicates as trees of objects.
@Suite("Archived fetch requests")
struct ArchivedRequestTests {
  private static func expression(
    _ name: String, _ type: Int64, _ fields: [String: PropertyList], _ archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    archive.object(
      [name, "NSExpression", "NSObject"], fields.merging(["NSExpressionType": .integer(type)]) { $1 })
  }

  private static func keyPath(_ path: String, _ archive: inout KeyedArchiveBuilder) -> PropertyList {
    let evaluated = expression("NSSelfExpression", 1, [:], &archive)
    let path = expression(
      "NSKeyPathSpecifierExpression", 10, ["NSKeyPath": archive.string(path)], &archive)
    return expression(
      "NSKeyPathExpression", 3,
      [
        "NSOperand": evaluated, "NSSelectorName": archive.string("valueForKeyPath:"),
        "NSArguments": archive.array([path]),
      ], &archive)
  }

  private static func comparison(
    _ left: PropertyList, _ type: Int64, _ right: PropertyList, flags: Int64 = 0, _ archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let sign = archive.object(
      ["NSPredicateOperator", "NSObject"],
      ["NSOperatorType": .integer(type), "NSModifier": .integer(0), "NSFlags": .integer(flags)])
    return archive.object(
      ["NSComparisonPredicate", "NSPredicate", "NSObject"],
      ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": sign])
  }

  /// The one template of an archived model, with a predicate that `predicate` writes.
  private static func read(
    _ predicate: (inout KeyedArchiveBuilder) -> PropertyList
  ) throws -> (request: DataModel.FetchRequestTemplate?, warnings: [DataModelProblem]) {
    var archive = KeyedArchiveBuilder()
    let model = archive.reserve()
    let entity = archive.object(
      ["NSEntityDescription", "NSObject"],
      ["NSEntityName": archive.string("Item"), "NSProperties": archive.dictionary([])])
    let request = archive.object(
      ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
      [
        "NSEntity": entity, "NSPredicate": predicate(&archive), "NSFetchLimit": .integer(5),
        "NSHasFetchRequestFlags": .boolean(true), "NSFetchRequestFlags": .integer(31),
      ])
    archive.fill(
      model, ["NSManagedObjectModel", "NSObject"],
      [
        "NSEntities": archive.dictionary([("Item", entity)]),
        "NSFetchRequestTemplates": archive.dictionary([("some", request)]),
      ])
    var reader = try ArchivedModelReader(archive.archive(root: model), file: "M.mom")
    let read = try reader.model(named: "M")
    return (read.fetchRequestTemplates.first, reader.warnings)
  }

  @Test("A predicate of comparisons, variables and constants becomes its format")
  func tree() throws {
    let (request, _) = try ArchivedRequestTests.read { archive in
      let variable = ArchivedRequestTests.expression(
        "NSVariableExpression", 2, ["NSVariable": archive.string("NAME")], &archive)
      let pattern = ArchivedRequestTests.expression(
        "NSConstantValueExpression", 0, ["NSConstantValue": archive.string("a*")], &archive)
      let name = ArchivedRequestTests.keyPath("author.name", &archive)
      let title = ArchivedRequestTests.keyPath("title", &archive)
      let parts = [
        ArchivedRequestTests.comparison(name, 4, variable, &archive),
        ArchivedRequestTests.comparison(title, 7, pattern, flags: 1, &archive),
      ]
      return archive.object(
        ["NSCompoundPredicate", "NSPredicate", "NSObject"],
        ["NSCompoundPredicateType": .integer(2), "NSSubpredicates": archive.array(parts)])
    }
    #expect(request?.entityName == "Item" && request?.fetchLimit == 5 && request?.returnsDistinctResults == true)
    #expect(request?.predicateFormat == "author.name == $NAME OR title LIKE[c] \"a*\"")
    #expect(request?.unreadablePredicate == nil)
  }

  @Test("A predicate of an unknown form is noted, not left out")
  func unknown() throws {
    let (request, warnings) = try ArchivedRequestTests.read { archive in
      archive.object(["OddPredicate", "NSPredicate", "NSObject"], [:])
    }
    #expect(request?.predicateFormat == nil)
    #expect(request?.unreadablePredicate?.contains("OddPredicate") == true)
    #expect(warnings.count == 1)
  }
}
