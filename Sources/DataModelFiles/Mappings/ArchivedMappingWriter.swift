/// Writes a mapping model as a keyed archive of Apple's classes.
enum ArchivedMappingWriter {
  static func write(_ model: MappingModelFile) -> [UInt8] {
    var archive = KeyedArchiveBuilder()
    let root = archive.reserve()
    var places: [PropertyList] = []
    for mapping in model.entityMappings { places.append(write(mapping, to: &archive)) }
    let list = archive.array(places)
    let byName = archive.dictionary(
      zip(model.entityMappings, places).map { ($0.name, $1) }, isMutable: false)
    archive.fill(
      root, ["NSMappingModel", "NSObject"], ["NSEntityMappings": list, "NSEntityMappingsByName": byName])
    return archive.archive(root: root)
  }

  private static func write(
    _ mapping: MappingModelFile.EntityMapping, to archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let place = archive.reserve()
    var fields: [String: PropertyList] = [
      "NSMappingName": archive.string(mapping.name), "NSMappingType": .integer(Int64(mapping.type.rawValue)),
      "NSSourceEntityName": archive.string(mapping.sourceName),
      "NSDestinationEntityName": archive.string(mapping.destinationName),
      "NSSourceEntityVersionHash": data(mapping.sourceHash, in: &archive),
      "NSDestinationEntityVersionHash": data(mapping.destinationHash, in: &archive),
      "NSSourceExpression": write(mapping.sourceExpression, to: &archive),
      "NSEntityMigrationPolicyClassName": archive.string(mapping.policyClassName),
      "NSUserInfo": userInfo(mapping.userInfo, in: &archive),
    ]
    fields["NSAttributeMappings"] = write(mapping.attributeMappings, to: &archive)
    fields["NSRelationshipMappings"] = write(mapping.relationshipMappings, to: &archive)
    archive.fill(place, ["NSEntityMapping", "NSObject"], fields)
    return place
  }

  private static func write(
    _ properties: [MappingModelFile.PropertyMapping], to archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    var places: [PropertyList] = []
    for property in properties {
      let fields: [String: PropertyList] = [
        "NSDestinationPropertyName": archive.string(property.name),
        "NSValueExpression": write(property.expression, to: &archive),
        "NSPropertyTransforms": KeyedArchiveBuilder.null,
        "NSUserInfo": userInfo(property.userInfo, in: &archive),
      ]
      places.append(archive.object(["NSPropertyMapping", "NSObject"], fields))
    }
    return archive.array(places)
  }

  private static func write(
    _ expression: MappingExpression?, to archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    guard let expression else { return KeyedArchiveBuilder.null }
    return ArchivedPredicateWriter.write(expression.tree, to: &archive)
  }

  private static func data(_ bytes: [UInt8]?, in archive: inout KeyedArchiveBuilder) -> PropertyList {
    bytes.map { archive.scalar(.data($0)) } ?? KeyedArchiveBuilder.null
  }

  private static func userInfo(
    _ info: [String: DataModel.Value], in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    guard !info.isEmpty else { return KeyedArchiveBuilder.null }
    var entries: [(key: String, value: PropertyList)] = []
    for (key, value) in info.sorted(by: { $0.key < $1.key }) {
      entries.append((key, ArchivedValue.write(value, to: &archive)))
    }
    return archive.dictionary(entries)
  }
}
