internal import DataModelFiles
import Foundation

extension NSEntityDescription {
  /// 32 bytes that differ if the definition differs: the name, whether it is abstract, the parent, the properties
  /// except transient ones, the constraints, the modifier.
  ///
  /// A store is compatible with a model when the hashes of all its entities are equal.
  public var versionHash: Data {
    frozen?.versionHash ?? statedVersionHash ?? Data(computeVersionHash())
  }

  /// From the root of the hierarchy down, because each entity's hash contains its parent's.
  private final func computeVersionHash() -> [UInt8] {
    var inherited: [NSPropertyDescription] = []
    var superentityHash: [UInt8]?
    for ancestor in ancestors.reversed() {
      superentityHash =
        (ancestor.frozen?.versionHash ?? ancestor.statedVersionHash).map { Array($0) }
        ?? ancestor.versionHash(superentityHash: superentityHash, inherited: inherited)
      inherited += ancestor.ownProperties
    }
    return versionHash(superentityHash: superentityHash, inherited: inherited)
  }

  private final func versionHash(
    superentityHash: [UInt8]?, inherited: [NSPropertyDescription]
  ) -> [UInt8] {
    // Fetched properties are transient.
    let stored = (inherited + ownProperties).filter { !$0.storedIsTransient }
    return VersionHash.entity(
      name: storedName ?? "", isAbstract: storedIsAbstract, superentityHash: superentityHash,
      properties: stored.map { (name: $0.storedName, hash: Array($0.versionHash)) },
      uniquenessConstraints: constraintNames, modifier: storedVersionHashModifier)
  }
}
