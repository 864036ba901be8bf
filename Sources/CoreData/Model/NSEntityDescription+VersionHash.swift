import Foundation

internal import DataModelFiles

extension NSEntityDescription {
  /// 32 bytes that tell one definition of the entity from another: its name, whether it is abstract, what it
  /// inherits from, its properties but the transient ones, its constraints, its modifier.
  ///
  /// A store is compatible with a model when the hashes of all its entities are equal.
  public var versionHash: Data {
    frozen?.versionHash ?? Data(computeVersionHash())
  }

  final func computeVersionHash() -> [UInt8] {
    let stored = properties.filter { !$0.storedIsTransient && !($0 is NSFetchedPropertyDescription) }
    return VersionHash.entity(
      name: storedName ?? "", isAbstract: storedIsAbstract,
      superentityHash: storedSuperentity.map { Array($0.versionHash) },
      properties: stored.map { (name: $0.storedName, hash: Array($0.versionHash)) },
      uniquenessConstraints: constraintNames, modifier: storedVersionHashModifier)
  }
}
