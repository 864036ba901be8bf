import Foundation

/// The fingerprints by which a store knows the model it was written with.
///
/// Pure functions over plain values, bottom up: a property's base, its full hash, its entity's hash, the
/// model's checksum and digest. All hashes are 32 bytes of SHA-256; integers enter little-endian; strings
/// as UTF-8 without terminator or length. What does not enter: delete rules, default values, validation,
/// indexes, class names, user info, renaming identifiers, configurations.
public enum VersionHash {
  /// What every property contributes: its name and whether it is optional, transient, read-only.
  ///
  /// - Parameter modifier: the property's `versionHashModifier`; nil and "" hash alike.
  public static func base(
    name: String, isOptional: Bool, isTransient: Bool, isReadOnly: Bool = false, modifier: String? = nil
  ) -> [UInt8] {
    let flags: UInt16 = (isOptional ? 1 : 0) | (isTransient ? 2 : 0) | (isReadOnly ? 4 : 0)
    return sha256(Array(name.utf8) + littleEndian(flags) + Array((modifier ?? "").utf8))
  }

  /// - Parameter attributeType: the raw value of `NSAttributeType` (700 is String).
  public static func attribute(
    base: [UInt8], attributeType: UInt32, externalStorage: Bool = false, preservesInHistory: Bool = false
  ) -> [UInt8] {
    sha256(
      base + littleEndian(attributeType) + (externalStorage ? [1] : []) + (preservesInHistory ? [1] : []))
  }

  /// The hash of a composite attribute, made from its leaves alone. The attribute's own name and settings do not enter,
  /// nor do those of composites in it. Its modifier does, so that changing it makes another version; no known file has
  /// one.
  ///
  /// - Parameter leaves: the attributes in it, at any depth, that are not composites.
  public static func composite(leaves: [(name: String, hash: [UInt8])], modifier: String? = nil) -> [UInt8] {
    // Equal names stay in the order given.
    let sorted = leaves.enumerated().sorted { left, right in
      if inCodeUnitOrder(left.element.name, right.element.name) { return true }
      if inCodeUnitOrder(right.element.name, left.element.name) { return false }
      return left.offset < right.offset
    }
    return sha256(sorted.flatMap(\.element.hash) + Array((modifier ?? "").utf8))
  }

  /// - Parameters:
  ///   - destination: the name of the destination entity.
  ///   - inverse: the name of the inverse relationship, nil when there is none.
  ///   - maxCount: 1 for to-one, 0 for an unbounded to-many.
  public static func relationship(
    base: [UInt8], destination: String, inverse: String?, maxCount: Int, minCount: Int, isOrdered: Bool
  ) -> [UInt8] {
    sha256(
      base + Array(destination.utf8) + Array((inverse ?? "").utf8)
        + littleEndian(UInt32(truncatingIfNeeded: maxCount))
        + littleEndian(UInt32(truncatingIfNeeded: minCount)) + (isOrdered ? [1, 0] : []))
  }

  /// - Parameters:
  ///   - superentityHash: the full hash of the parent entity.
  ///   - properties: attributes and relationships that are not transient, inherited ones included, in any
  ///     order. Fetched properties are transient and stay out.
  ///   - uniquenessConstraints: those declared on this entity itself, each a list of attribute names.
  public static func entity(
    name: String, isAbstract: Bool, superentityHash: [UInt8]?,
    properties: [(name: String, hash: [UInt8])], uniquenessConstraints: [[String]] = [],
    modifier: String? = nil
  ) -> [UInt8] {
    var bytes = Array(name.utf8)
    bytes.append(isAbstract ? 1 : 0)
    bytes += superentityHash ?? []
    for property in properties.sorted(by: { inCodeUnitOrder($0.name, $1.name) }) { bytes += property.hash }
    let constraints = uniquenessConstraints.map { $0.joined(separator: ".") }.sorted(by: inCodeUnitOrder)
    for constraint in constraints { bytes += Array(constraint.utf8) }
    bytes += Array((modifier ?? "").utf8)
    return sha256(bytes)
  }

  /// `NSManagedObjectModel.versionChecksum`: base64 of SHA-256 over the entity hashes, in order of name.
  public static func modelChecksum(_ entities: [(name: String, hash: [UInt8])]) -> String {
    let sorted = entities.sorted { inCodeUnitOrder($0.name, $1.name) }
    return Data(sha256(sorted.flatMap(\.hash))).base64EncodedString()
  }

  /// `NSStoreModelVersionHashesDigest` of a store's metadata: base64 of SHA-512 over each entity's name
  /// and hash, in order of name.
  public static func hashesDigest(_ entities: [(name: String, hash: [UInt8])]) -> String {
    let sorted = entities.sorted { inCodeUnitOrder($0.name, $1.name) }
    return Data(sha512(sorted.flatMap { Array($0.name.utf8) + $0.hash })).base64EncodedString()
  }

  /// Plain UTF-16 order, not the canonical equivalence of `String.<`.
  ///
  /// The function compares UTF-8, because Swift stores strings so. The two orders differ only where a character beyond
  /// U+FFFF meets one from U+E000 to U+FFFF: the former begins with a surrogate in UTF-16, so it comes first.
  static func inCodeUnitOrder(_ left: String, _ right: String) -> Bool {
    var bytes = left.utf8.makeIterator()
    for byte in right.utf8 {
      guard let other = bytes.next() else { return true }
      if other == byte { continue }
      let isSwapped = min(other, byte) >= 0xEE && max(other, byte) >= 0xF0 && min(other, byte) < 0xF0
      return (other < byte) != isSwapped
    }
    return false
  }

  private static func littleEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
