import Foundation

/// Reads mapping models as the editor writes them, and fills in what it leaves to its compiler:
///
/// | of | not written down | becomes |
/// |---|---|---|
/// | entity mapping | name | `SourceToDestination`, or the name of the one entity |
/// | | type | add, remove; custom with a policy; copy where nothing changes; transform |
/// | | source expression | all objects of the source entity, or those that meet the filter |
/// | attribute | expression | `$source.name` where the source entity has such an attribute, else none |
/// | relationship | expression | what has become of `$source.name`, or of the key path, by the mapping that it names |
struct SourceMappingReader {
  let file: String
  let objects: MappingObjects
  let models: MappingModels
  private let sourceHashes: [String: [UInt8]]
  private let destinationHashes: [String: [UInt8]]
  private(set) var warnings: [DataModelProblem] = []
  private let package: URL?

  /// - Throws: `InvalidDataModel`.
  init(_ bytes: [UInt8], package: URL?, file: String) throws {
    self.file = file
    self.package = package
    objects = try MappingObjects(bytes, file: file)
    models = try MappingModels(objects.root, package: package, file: file)
    sourceHashes = models.source.entityVersionHashes()
    destinationHashes = models.destination.entityVersionHashes()
  }

  mutating func read() throws -> MappingModelFile {
    var model = MappingModelFile()
    var numbered: [(Int, MappingModelFile.EntityMapping)] = []
    for object in try objects.objects("entitymappings", of: objects.root, file: file) {
      let mapping = try entityMapping(object)
      if numbered.contains(where: { $0.1.name == mapping.name }) {
        throw problem(object, mapping.name, nil, "two entity mappings have this name")
      }
      numbered.append((object.integer("mappingnumber"), mapping))
    }
    // A file's references have no order.
    model.entityMappings = numbered.sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }.map(\.1)
    let names = Set(model.entityMappings.map(\.name))
    for object in try objects.objects("entitymappings", of: objects.root, file: file) {
      for property in try objects.objects("relationshipmappings", of: object, file: file) {
        guard let name = property.text("sourcemappingname"), !names.contains(name) else { continue }
        throw problem(
          property, self.name(of: object), property.text("name"), "there is no entity mapping \"\(name)\"")
      }
    }
    warnOfChanges("source", sourceHashes, in: model.entityMappings.map { ($0.name, $0.sourceName) })
    warnOfChanges("destination", destinationHashes, in: model.entityMappings.map { ($0.name, $0.destinationName) })
    return model
  }

  /// Warns if a model has changed since it was archived. Then it is another version, and the mapping model does not
  /// migrate its stores.
  private mutating func warnOfChanges(
    _ side: String, _ hashes: [String: [UInt8]], in mappings: [(name: String, entity: String?)]
  ) {
    guard objects.root.text("\(side)modeldata") != nil, let package, let path = objects.root.text("\(side)modelpath"),
      let folder = MappingModels.find(path, from: package),
      let now = try? SourceModelReader.model(at: folder).model.entityVersionHashes()
    else { return }
    for (name, entity) in mappings {
      guard let entity, now[entity] != hashes[entity] else { continue }
      warnings.append(
        DataModelProblem(
          .warning, file: file, line: objects.root.line, entity: name,
          message:
            "\(entity) of the \(side) model has changed in \(folder.path) since the mapping model was made: the version "
            + "hashes differ. The mapping model is for stores of the version that it holds"))
    }
  }

  private mutating func entityMapping(
    _ object: MappingObjects.Object
  ) throws -> MappingModelFile.EntityMapping {
    guard let name = name(of: object) else {
      throw problem(object, nil, nil, "an entity mapping has neither a source entity nor a destination entity")
    }
    var mapping = MappingModelFile.EntityMapping(name: name)
    mapping.sourceName = object.text("sourcename")
    mapping.destinationName = object.text("destinationname")
    guard mapping.sourceName != nil || mapping.destinationName != nil else {
      throw problem(object, name, nil, "the mapping has neither a source entity nor a destination entity")
    }
    let source = try mapping.sourceName.map { try entity($0, in: models.source, "source", object, name) }
    let destination = try mapping.destinationName.map {
      try entity($0, in: models.destination, "destination", object, name)
    }
    mapping.sourceHash = source.flatMap { sourceHashes[$0.name] }
    mapping.destinationHash = destination.flatMap { destinationHashes[$0.name] }
    mapping.policyClassName = object.text("migrationpolicyclassname")
    if let source { mapping.sourceExpression = try sourceExpression(of: object, source, name) }
    if let destination {
      let attributes = Set(models.destination.allAttributes(of: destination).map(\.name))
      for property in try objects.objects("attributemappings", of: object, file: file) {
        guard let made = try propertyMapping(property, name, known: attributes) else { continue }
        mapping.attributeMappings.append(
          try filled(made, property, name) { attributeExpression(made.name, source) })
      }
      let relationships = Set(models.destination.allRelationships(of: destination).map(\.name))
      for property in try objects.objects("relationshipmappings", of: object, file: file) {
        guard let made = try propertyMapping(property, name, known: relationships) else { continue }
        mapping.relationshipMappings.append(
          try filled(made, property, name) { relationshipExpression(made.name, property, source) })
      }
      mapping.attributeMappings.sort { $0.name < $1.name }
      mapping.relationshipMappings.sort { $0.name < $1.name }
    }
    mapping.type = try type(of: mapping, object, source)
    return mapping
  }

  /// nil for a mapping of nothing.
  private func name(of object: MappingObjects.Object) -> String? {
    if let name = object.text("name") { return name }
    switch (object.text("sourcename"), object.text("destinationname")) {
    case (let source?, let destination?): return "\(source)To\(destination)"
    case (let name?, nil), (nil, let name?): return name
    case (nil, nil): return nil
    }
  }

  private func entity(
    _ name: String, in model: DataModel, _ side: String, _ object: MappingObjects.Object, _ mapping: String
  ) throws -> DataModel.Entity {
    if let entity = model.entity(named: name) { return entity }
    throw problem(object, mapping, nil, "the \(side) model \"\(model.name)\" has no entity \"\(name)\"")
  }

  private func type(
    of mapping: MappingModelFile.EntityMapping, _ object: MappingObjects.Object, _ source: DataModel.Entity?
  ) throws -> MappingModelFile.MappingType {
    let text = object.text("mappingtypename") ?? MappingModelFile.MappingType.undefined.editorName
    guard let stated = MappingModelFile.MappingType.allCases.first(where: { $0.editorName == text }) else {
      throw problem(object, mapping.name, nil, "unknown mapping type \"\(text)\"")
    }
    if stated != .undefined { return stated }
    if mapping.policyClassName != nil { return .custom }
    if mapping.sourceName == nil { return .add }
    if mapping.destinationName == nil { return .remove }
    let isUnchanged =
      mapping.sourceName == mapping.destinationName && mapping.sourceHash == mapping.destinationHash
      && mapping.attributeMappings.allSatisfy { $0.expression == attributeExpression($0.name, source) }
      && object.text("sourcefilterpredicatestring") == nil
    return isUnchanged ? .copy : .transform
  }

  // Properties.

  /// The mapping of a property; nil if the destination does not have the property.
  private mutating func propertyMapping(
    _ object: MappingObjects.Object, _ mapping: String, known: Set<String>
  ) throws -> MappingModelFile.PropertyMapping? {
    guard let name = object.text("name") else { throw problem(object, mapping, nil, "a property mapping has no name") }
    guard known.contains(name) else {
      warnings.append(
        DataModelProblem(
          .warning, file: file, line: object.line, entity: mapping, property: name,
          message: "the destination entity has no such property; its mapping is ignored"))
      return nil
    }
    return MappingModelFile.PropertyMapping(name: name)
  }

  /// The property mapping with the expression in the file, or with the implied one if the file has none.
  private func filled(
    _ property: MappingModelFile.PropertyMapping, _ object: MappingObjects.Object, _ mapping: String,
    _ implied: () -> MappingExpression?
  ) throws -> MappingModelFile.PropertyMapping {
    var property = property
    property.expression = try expression("valueexpressiondata", of: object, mapping, property.name) ?? implied()
    return property
  }

  private func attributeExpression(_ name: String, _ source: DataModel.Entity?) -> MappingExpression? {
    guard let source, models.source.allAttributes(of: source).contains(where: { $0.name == name }) else {
      return nil
    }
    return .value(name, of: "source")
  }

  private func relationshipExpression(
    _ name: String, _ object: MappingObjects.Object, _ source: DataModel.Entity?
  ) -> MappingExpression? {
    guard let source else { return nil }
    let isInSource = models.source.allRelationships(of: source).contains { $0.name == name }
    var path: MappingExpression?
    if let text = object.text("sourcekeypath") {
      let keys = text.split(separator: ".").map(String.init)
      path = .value((keys.first == "$source" ? Array(keys.dropFirst()) : keys).joined(separator: "."), of: "source")
    } else if isInSource {
      path = .value(name, of: "source")
    }
    guard let path else { return nil }
    if let mapping = object.text("sourcemappingname") {
      return .destinations("destinationInstancesForEntityMappingNamed", named: mapping, of: path)
    }
    return .destinations("destinationInstancesForSourceRelationshipNamed", named: name, of: path)
  }

  private func sourceExpression(
    of object: MappingObjects.Object, _ source: DataModel.Entity, _ mapping: String
  ) throws -> MappingExpression {
    if !object.flag("autogenerateexpression"),
      let written = try expression("sourceexpressiondata", of: object, mapping, nil)
    {
      return written
    }
    return .fetch(source.name, object.text("sourcefilterpredicatestring") ?? "TRUEPREDICATE")
  }

  private func expression(
    _ key: String, of object: MappingObjects.Object, _ mapping: String, _ property: String?
  ) throws -> MappingExpression? {
    guard object.text(key) != nil else { return nil }
    guard let bytes = object.data(key) else { throw problem(object, mapping, property, "\(key) is not base64") }
    do {
      let archive = try KeyedArchive(bytes)
      guard let root = archive.root else { return nil }
      return MappingExpression(tree: try ArchivedPredicateReader().expression(root))
    } catch {
      throw problem(object, mapping, property, "the expression can't be read: \(error)")
    }
  }

  private func problem(
    _ object: MappingObjects.Object, _ mapping: String?, _ property: String?, _ message: String
  ) -> InvalidDataModel {
    InvalidDataModel(problems: [
      DataModelProblem(
        .error, file: file, line: object.line, entity: mapping, property: property, message: message)
    ])
  }
}
