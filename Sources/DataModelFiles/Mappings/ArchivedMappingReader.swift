/// Reads the archive of a compiled mapping model (`.cdm`) into plain values. Unknown keys are ignored.
struct ArchivedMappingReader {
  private let file: String
  private let archive: KeyedArchive

  init(_ bytes: [UInt8], file: String) throws {
    self.file = file
    do {
      archive = try KeyedArchive(bytes)
    } catch {
      throw InvalidDataModel(file: file, message: "\(error)")
    }
  }

  func read() throws -> MappingModelFile {
    guard let root = archive.root, root.className == "NSMappingModel" else {
      throw InvalidDataModel(file: file, message: "the archive holds no NSMappingModel")
    }
    var listed = root.objects("NSEntityMappings")
    if listed.isEmpty {
      listed = root.entries("NSEntityMappingsByName").sorted { $0.key < $1.key }.compactMap(\.value.object)
    }
    var model = MappingModelFile()
    model.entityMappings = try listed.map(entityMapping)
    if archive.isExhausted {
      throw InvalidDataModel(file: file, message: "its lists repeat the same objects too often")
    }
    return model
  }

  private func entityMapping(_ object: KeyedArchive.Object) throws -> MappingModelFile.EntityMapping {
    guard let name = object.string("NSMappingName") else {
      throw InvalidDataModel(file: file, message: "an entity mapping of the archive has no name")
    }
    var mapping = MappingModelFile.EntityMapping(name: name)
    let number = object.integer("NSMappingType") ?? 0
    guard let type = MappingModelFile.MappingType(rawValue: number) else {
      throw problem(name, nil, "unknown mapping type \(number)")
    }
    mapping.type = type
    mapping.sourceName = object.string("NSSourceEntityName")
    mapping.destinationName = object.string("NSDestinationEntityName")
    mapping.sourceHash = data(object["NSSourceEntityVersionHash"])
    mapping.destinationHash = data(object["NSDestinationEntityVersionHash"])
    mapping.sourceExpression = try expression(object.object("NSSourceExpression"), name, nil)
    mapping.policyClassName = object.string("NSEntityMigrationPolicyClassName").flatMap { $0.isEmpty ? nil : $0 }
    mapping.attributeMappings = try object.objects("NSAttributeMappings").map { try property($0, of: name) }
    mapping.relationshipMappings = try object.objects("NSRelationshipMappings").map { try property($0, of: name) }
    mapping.userInfo = userInfo(of: object)
    return mapping
  }

  private func property(
    _ object: KeyedArchive.Object, of mapping: String
  ) throws -> MappingModelFile.PropertyMapping {
    guard let name = object.string("NSDestinationPropertyName") else {
      throw problem(mapping, nil, "a property mapping of the archive has no name")
    }
    var property = MappingModelFile.PropertyMapping(name: name)
    property.expression = try expression(object.object("NSValueExpression"), mapping, name)
    property.userInfo = userInfo(of: object)
    return property
  }

  private func data(_ value: KeyedArchive.Value?) -> [UInt8]? { value?.data ?? value?.object?["NS.data"]?.data }

  private func userInfo(of object: KeyedArchive.Object) -> [String: DataModel.Value] {
    var info: [String: DataModel.Value] = [:]
    for (key, value) in object.entries("NSUserInfo") { info[key] = ArchivedValue.read(value, type: .undefined) }
    return info
  }

  private func expression(
    _ object: KeyedArchive.Object?, _ mapping: String, _ property: String?
  ) throws -> MappingExpression? {
    guard let object else { return nil }
    do {
      return MappingExpression(tree: try ArchivedPredicateReader().expression(object))
    } catch {
      throw problem(mapping, property, "the expression can't be read: \(error)")
    }
  }

  private func problem(_ mapping: String, _ property: String?, _ message: String) -> InvalidDataModel {
    InvalidDataModel(problems: [
      DataModelProblem(.error, file: file, entity: mapping, property: property, message: message)
    ])
  }
}
