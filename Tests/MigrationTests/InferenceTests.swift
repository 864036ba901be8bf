import CoreData
import Foundation
import Testing

/// What is inferred between two models: which entities and properties are kept.
@Suite struct InferenceTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  /// The mappings as lines: `copy BookToBook`, and for those that change: `transform BookToBook title=$source.name`.
  static func lines(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) throws -> [String] {
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
    return mapping.entityMappings.map { mapping in
      let kind: String
      switch mapping.mappingType {
      case .copyEntityMappingType: kind = "copy"
      case .transformEntityMappingType: kind = "transform"
      case .addEntityMappingType: kind = "add"
      case .removeEntityMappingType: kind = "remove"
      default: kind = "?"
      }
      let properties = ((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])).map {
        "\($0.name ?? "?")=\($0.valueExpression.map { "\($0)" } ?? "")"
      }
      return ([kind, mapping.name] + (kind == "transform" ? properties : [])).joined(separator: " ")
    }
  }

  static func refusal(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> NSError? {
    do {
      _ = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
      return nil
    } catch { return error as NSError }
  }

  @Test("Equal entities are copied, changed ones transformed, others added and removed")
  func kinds() throws {
    let old = Make.model(
      Entity("Same", [Make.attribute("a")]), Entity("Changed", [Make.attribute("a")]), Entity("Gone"))
    let new = Make.model(
      Entity("Same", [Make.attribute("a")]), Entity("Changed", [Make.attribute("a"), Make.attribute("b")]),
      Entity("New"))
    #expect(
      try Self.lines(old, new) == [
        "transform ChangedToChanged a=$source.a b=", "add New", "copy SameToSame", "remove Gone",
      ])
  }
}
