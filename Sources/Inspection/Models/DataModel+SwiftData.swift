import DataModelFiles

extension DataModel {
  /// The version of the schema that SwiftData made the model of; nil for models of Core Data's own.
  ///
  /// A model does not say where it comes from. SwiftData's have one configuration, "default", with all entities; the
  /// schema's version, three numbers, as their only identifier; and no classes of their own.
  var schemaVersionOfSwiftData: String? {
    guard configurations.count == 1, configurations[0].name == "default",
      Set(configurations[0].entityNames) == Set(entities.map(\.name)), versionIdentifiers.count == 1,
      let version = versionIdentifiers.first, version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil,
      entities.allSatisfy({ $0.className == nil || $0.className == $0.name || $0.className == "NSManagedObject" })
    else { return nil }
    return version
  }
}
