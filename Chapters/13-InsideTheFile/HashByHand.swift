import CoreData

/// One application of SHA-256: what goes in, part by part, and what comes out.
public struct HashStep {
  public let title: String
  public let parts: [(label: String, bytes: [UInt8])]
  public let digest: [UInt8]

  init(_ title: String, _ parts: [(label: String, bytes: [UInt8])]) {
    self.title = title
    self.parts = parts
    digest = SHA256.digest(parts.flatMap(\.bytes))
  }
}

/// An entity's version hash, worked out from its description and nothing else. Each method is one level; integers
/// are little-endian, texts are UTF-8 without length or end.
public struct HashByHand {
  /// All that was hashed, in order.
  public private(set) var steps: [HashStep] = []

  public init() {}

  //> entity
  /// The entity's hash: its name, its ancestors, and the hashes of all stored properties.
  public mutating func hash(of entity: NSEntityDescription) -> [UInt8] {
    let parent = entity.superentity.map { hash(of: $0) }
    var parts: [(String, [UInt8])] = [
      ("name", Array((entity.name ?? "").utf8)), ("abstract", [entity.isAbstract ? 1 : 0]),
    ]
    if let parent { parts.append(("parent", parent)) }
    // Inherited properties count again, and all are in the order of their names.
    let stored = entity.properties.filter { !$0.isTransient }
    for property in stored.sorted(by: { $0.name < $1.name }) {
      parts.append((property.name, hash(of: property)))
    }
    for constraint in Self.constraints(of: entity).sorted() {
      parts.append(("unique", Array(constraint.utf8)))
    }
    if let modifier = entity.versionHashModifier {
      parts.append(("modifier", Array(modifier.utf8)))
    }
    return add("entity \(entity.name ?? "")", parts)
  }
  //< entity

  //> property
  /// A property's hash, in two steps: what all properties have, then what its kind has.
  private mutating func hash(of property: NSPropertyDescription) -> [UInt8] {
    let flags: UInt16 = (property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0)
    var common: [(String, [UInt8])] = [
      ("name", Array(property.name.utf8)), ("flags", littleEndian(flags)),
    ]
    if let modifier = property.versionHashModifier {
      common.append(("modifier", Array(modifier.utf8)))
    }
    let base = ("property", add("\(property.name), as a property", common))
    switch property {
    case let attribute as NSAttributeDescription:
      return add("\(property.name), as an attribute", [base] + parts(of: attribute))
    case let relationship as NSRelationshipDescription:
      return add("\(property.name), as a relationship", [base] + parts(of: relationship))
    default:
      return base.1
    }
  }

  private func parts(of attribute: NSAttributeDescription) -> [(String, [UInt8])] {
    var parts = [("type", littleEndian(UInt32(attribute.attributeType.rawValue)))]
    if attribute.allowsExternalBinaryDataStorage { parts.append(("external", [1])) }
    if attribute.preservesValueInHistoryOnDeletion { parts.append(("preserved", [1])) }
    return parts
  }

  private func parts(of relationship: NSRelationshipDescription) -> [(String, [UInt8])] {
    var parts = [
      ("destination", Array((relationship.destinationEntity?.name ?? "").utf8)),
      ("inverse", Array((relationship.inverseRelationship?.name ?? "").utf8)),
      ("at most", littleEndian(UInt32(truncatingIfNeeded: relationship.maxCount))),
      ("at least", littleEndian(UInt32(truncatingIfNeeded: relationship.minCount))),
    ]
    if relationship.isOrdered { parts.append(("ordered", [1, 0])) }
    return parts
  }
  //< property

  private mutating func add(_ title: String, _ parts: [(String, [UInt8])]) -> [UInt8] {
    let step = HashStep(title, parts.map { (label: $0.0, bytes: $0.1) })
    steps.append(step)
    return step.digest
  }

  private func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// The entity's own constraints, the names of each joined by a point.
  private static func constraints(of entity: NSEntityDescription) -> [String] {
    entity.uniquenessConstraints.map { constraint in
      constraint.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" }.joined(separator: ".")
    }
  }
}

extension Sequence<UInt8> {
  /// `c8000000`.
  public var hex: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
