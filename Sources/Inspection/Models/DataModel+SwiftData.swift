import DataModelFiles

extension DataModel {
  /// The version of the SwiftData schema that the model was made from; nil if it wasn't made by SwiftData.
  ///
  /// A model doesn't say where it comes from. SwiftData's models have a single configuration named "default" with all
  /// entities, the schema's version of three numbers as their only identifier, and no classes of their own.
  var schemaVersionOfSwiftData: String? {
    guard configurations.count == 1, configurations[0].name == "default",
      Set(configurations[0].entityNames) == Set(entities.map(\.name)), versionIdentifiers.count == 1,
      let version = versionIdentifiers.first, version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil,
      entities.allSatisfy({ $0.className == nil || $0.className == $0.name || $0.className == "NSManagedObject" })
    else { return nil }
    return version
  }
}
