import CoreData

/// The identity of a stored model. May be used on any thread, and written down.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The same value for the same model.
  public struct ID: Hashable, Comparable, Sendable {
    fileprivate let text: String
    /// By their texts.
    public static func < (left: ID, right: ID) -> Bool { left.text < right.text }
  }

  /// The name of the model's entity.
  public let entityName: String
  /// The UUID of the store; nil before the first save.
  public let storeIdentifier: String?
  /// `p` and the row's number, or `t` and a UUID before the first save.
  let primaryKey: String
  let isTemporary: Bool
  /// Where it was made in this process; no part of what it is.
  let objectID: NSManagedObjectID?

  init(_ objectID: NSManagedObjectID) {
    let uri = objectID.uriRepresentation()
    self.objectID = objectID
    entityName = objectID.entity.name ?? ""
    storeIdentifier = uri.host
    primaryKey = uri.lastPathComponent
    isTemporary = false
  }

  init(temporary: UUID, entityName: String) {
    objectID = nil
    self.entityName = entityName
    storeIdentifier = nil
    primaryKey = "t\(temporary.uuidString)"
    isTemporary = true
  }

  /// The identity as one value.
  public var id: ID { ID(text: uri) }
  /// The identity as a URL's text.
  public var description: String { uri }

  var uri: String { "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)" }

  /// Whether they are of the same model.
  public static func == (left: Self, right: Self) -> Bool {
    left.primaryKey == right.primaryKey && left.entityName == right.entityName
      && left.storeIdentifier == right.storeIdentifier
  }
  /// By entity, row and store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entityName)
  }
  /// By store, entity and row.
  public static func < (left: Self, right: Self) -> Bool {
    if left.storeIdentifier != right.storeIdentifier {
      return left.storeIdentifier ?? "" < right.storeIdentifier ?? ""
    }
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    let (a, b) = (left.primaryKey, right.primaryKey)
    return a.utf8.count == b.utf8.count ? a < b : a.utf8.count < b.utf8.count
  }

  // The form that Apple's framework writes.

  private enum Keys: String, CodingKey { case implementation }
  private struct Implementation: Codable {
    var primaryKey: String
    var uriRepresentation: URL
    var isTemporary: Bool
    var storeIdentifier: String?
    var entityName: String
  }

  /// `{"implementation": {"primaryKey": "p2", "uriRepresentation": "x-coredata://…/Dog/p2", "isTemporary": false, …}}`
  public init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: Keys.self).decode(Implementation.self, forKey: .implementation)
    objectID = nil
    entityName = stored.entityName
    storeIdentifier = stored.storeIdentifier ?? stored.uriRepresentation.host
    primaryKey = stored.primaryKey
    isTemporary = stored.isTemporary
  }

  /// See ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    guard let url = URL(string: uri) else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "The identifier \(uri) makes no URL."))
    }
    let form = Implementation(
      primaryKey: primaryKey, uriRepresentation: url, isTemporary: isTemporary, storeIdentifier: storeIdentifier,
      entityName: entityName)
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(form, forKey: .implementation)
  }
}
