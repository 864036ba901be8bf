internal import DataModelFiles
import Foundation

/// What happens to the destination of a relationship when its source is deleted.
public enum NSDeleteRule: UInt, Sendable {
  /// Nothing happens. The destination keeps a reference to the deleted object.
  case noActionDeleteRule = 0
  /// The inverse is set to nil.
  case nullifyDeleteRule = 1
  /// The destination is deleted as well.
  case cascadeDeleteRule = 2
  /// The save fails as long as there is a destination.
  case denyDeleteRule = 3
}

/// A relationship of an entity to another one, or to itself.
///
///     let (book, writer) = (NSEntityDescription(), NSEntityDescription())
///     let (author, books) = (NSRelationshipDescription(), NSRelationshipDescription())
///     author.name = "author"
///     author.destinationEntity = writer
///     author.maxCount = 1
///     books.name = "books"
///     books.destinationEntity = book
///     author.inverseRelationship = books
///     books.inverseRelationship = author
///     book.properties.append(author)
///     writer.properties.append(books)
///     print(author.isToMany, books.isToMany)  // false true
///
/// Defaults of a new one: optional, to-many (`maxCount` 0), unordered, delete rule Nullify.
open class NSRelationshipDescription: NSPropertyDescription {
  // Weak, since entities refer to each other in circles; the model owns them all.
  private final var destinationReference = LivingReference<NSEntityDescription>()
  final weak var storedInverseRelationship: NSRelationshipDescription?
  final var storedMaxCount = 0
  final var storedMinCount = 0
  final var storedDeleteRule = NSDeleteRule.nullifyDeleteRule
  final var storedIsOrdered = false
  /// The name of the destination, as long as parts of a model are not yet connected.
  final var pendingDestinationName: String?
  final var pendingInverseName: String?

  final var storedDestinationEntity: NSEntityDescription? {
    get { destinationReference.object }
    set { destinationReference.object = newValue }
  }

  /// The entity that the relationship leads to. A copy leads to the same one, until the model that has the copy is
  /// used: then an entity of that model with the same name takes its place, and likewise the inverse.
  open var destinationEntity: NSEntityDescription? {
    get { storedDestinationEntity }
    set {
      willRedefine("destinationEntity")
      storedDestinationEntity = newValue
      pendingDestinationName = nil
    }
  }

  /// Whether the inverse, which must exist, names this relationship as its own inverse.
  final var isInverseMutual: Bool {
    guard let inverse = storedInverseRelationship else { return false }
    return inverse.storedInverseRelationship === self
  }

  /// Whether the destination, which must be known, has this inverse or inherits it.
  final func isAnswered(by inverse: NSRelationshipDescription) -> Bool {
    guard let owner = inverse.owningEntity else { return false }
    return storedDestinationEntity?.isKindOf(entity: owner) ?? false
  }

  /// The relationship that leads back. Set it on both sides.
  ///
  /// If the inverse has no inverse, or another one, the model still works, with a warning on standard error at the
  /// first use. Changing this relationship then changes the inverse, but changing the inverse does not change this
  /// relationship.
  open var inverseRelationship: NSRelationshipDescription? {
    get { storedInverseRelationship }
    set {
      willRedefine("inverseRelationship")
      storedInverseRelationship = newValue
      pendingInverseName = nil
    }
  }

  /// The largest number of destinations: 1 is to-one, 0 is to-many without limit.
  open var maxCount: Int {
    get { storedMaxCount }
    set {
      willRedefine("maxCount")
      storedMaxCount = newValue
    }
  }

  /// The smallest number of destinations, checked if the relationship is mandatory or not empty. With 0 even a
  /// mandatory to-many relationship may be empty.
  open var minCount: Int {
    get { storedMinCount }
    set {
      willRedefine("minCount")
      storedMinCount = newValue
    }
  }

  /// What deleting the source does to the destination.
  open var deleteRule: NSDeleteRule {
    get { storedDeleteRule }
    set {
      willMutate("deleteRule")
      storedDeleteRule = newValue
    }
  }

  /// Whether there may be several destinations.
  open var isToMany: Bool { storedMaxCount != 1 }

  /// Whether the order of the destinations is kept.
  open var isOrdered: Bool {
    get { storedIsOrdered }
    set {
      willRedefine("isOrdered")
      storedIsOrdered = newValue
    }
  }

  final var destinationName: String? { storedDestinationEntity?.storedName ?? pendingDestinationName }
  final var inverseName: String? { storedInverseRelationship?.storedName ?? pendingInverseName }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSRelationshipDescription else { return false }
    return destinationName == other.destinationName && inverseName == other.inverseName
      && storedMaxCount == other.storedMaxCount && storedMinCount == other.storedMinCount
      && storedDeleteRule == other.storedDeleteRule && storedIsOrdered == other.storedIsOrdered
  }

  override func blankCopy() -> NSPropertyDescription { NSRelationshipDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSRelationshipDescription else { return }
    copy.storedDestinationEntity = storedDestinationEntity
    copy.storedInverseRelationship = storedInverseRelationship
    copy.storedMaxCount = storedMaxCount
    copy.storedMinCount = storedMinCount
    copy.storedDeleteRule = storedDeleteRule
    copy.storedIsOrdered = storedIsOrdered
    copy.pendingDestinationName = pendingDestinationName
    copy.pendingInverseName = pendingInverseName
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.relationship(
      base: baseVersionHash, destination: destinationName ?? "", inverse: inverseName,
      maxCount: storedMaxCount, minCount: storedMinCount, isOrdered: storedIsOrdered)
  }
}
