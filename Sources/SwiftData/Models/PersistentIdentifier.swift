import CoreData
import Synchronization

/// The identity of a stored model. You may use it on any thread, and encode it.
///
///     let book = Book(title: "Solaris")
///     context.insert(book)
///     try context.save()
///     let id = book.persistentModelID
///     let title = await Task.detached { (ModelContext(container).model(for: id) as? Book)?.title }.value
///     print(title ?? "unknown")  // Solaris
///
/// The identity of a model that was never saved is a temporary one; a save replaces it.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The identity as one value: equal for equal identities.
  public struct ID: Hashable, Comparable, Sendable {
    fileprivate let text: String
    /// Whether both are of the same model.
    public static func == (left: ID, right: ID) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    /// Compares the texts.
    public static func < (left: ID, right: ID) -> Bool { left.text < right.text }
  }

  private final class Texts: Sendable {
    let entityName: String
    let storeIdentifier: String?
    let primaryKey: String
    let isTemporary: Bool

    init(_ entityName: String, store: String?, key: String, isTemporary: Bool) {
      self.entityName = entityName
      storeIdentifier = store
      primaryKey = key
      self.isTemporary = isTemporary
    }
  }

  /// The parts of an identity. A save makes an identity for each object and few programs look into it, so the texts are
  /// made only when they are needed.
  private final class Parts: Sendable {
    let objectID: NSManagedObjectID?
    /// Nil if the texts follow from the object's id.
    let stated: Texts?
    private let made = AtomicLazyReference<Texts>()

    init(_ objectID: NSManagedObjectID?, _ stated: Texts?) {
      self.objectID = objectID
      self.stated = stated
    }

    var texts: Texts {
      if let stated { return stated }
      if let known = made.load() { return known }
      // An identity without stated texts was made from an object id.
      let uri = objectID!.uriRepresentation()
      return made.storeIfNil(
        Texts(objectID!.entity.name ?? "", store: uri.host, key: uri.lastPathComponent, isTemporary: false))
    }
  }

  private let parts: Parts

  /// The name of the model's entity.
  public var entityName: String { parts.texts.entityName }
  /// The UUID of the store; nil before the first save.
  public var storeIdentifier: String? { parts.texts.storeIdentifier }
  /// `p` and the row's number, or before the first save `t` and a UUID.
  var primaryKey: String { parts.texts.primaryKey }
  var isTemporary: Bool { parts.stated?.isTemporary ?? false }
  /// What the model is known by before its first save; nil after that.
  var temporaryIdentifier: UUID? { isTemporary ? UUID(uuidString: String(primaryKey.dropFirst())) : nil }
  /// The object id, if the identity was made from one in this process. It plays no part in comparisons of texts.
  var objectID: NSManagedObjectID? { parts.objectID }

  init(_ objectID: NSManagedObjectID) {
    if let store = objectID.persistentStore as? DataStoreBridge {
      self = store.identifier(of: objectID)
      return
    }
    parts = Parts(objectID, nil)
  }

  init(temporary: UUID, entityName: String) { self.init(temporary: temporary.uuidString, entityName: entityName) }

  init(temporary text: String, entityName: String) {
    parts = Parts(nil, Texts(entityName, store: nil, key: "t\(text)", isTemporary: true))
  }

  init(store: String, entityName: String, primaryKey: String, _ objectID: NSManagedObjectID?) {
    parts = Parts(objectID, Texts(entityName, store: store, key: primaryKey, isTemporary: false))
  }

  /// The identity that a ``DataStore`` makes for a model from a key of its own.
  ///
  /// Throws if the parts don't make a URL.
  ///
  /// - Parameters:
  ///   - storeIdentifier: the store's ``DataStore/identifier``.
  ///   - entityName: the name of the model's entity.
  ///   - primaryKey: a value that is unique among the models of the entity. Its description becomes part of the
  ///     identity.
  public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier {
    let made = PersistentIdentifier(
      store: storeIdentifier, entityName: entityName, primaryKey: primaryKey.description, nil)
    guard !made.primaryKey.isEmpty, URL(string: made.uri) != nil else {
      throw DataStoreBridge.Refusal(
        "\"\(primaryKey)\" in the store \"\(storeIdentifier)\" makes no identity of a model: both stand in a URL.")
    }
    return made
  }

  /// The identity as one value.
  public var id: ID { ID(text: uri) }
  /// The identity as a URL's text.
  public var description: String { uri }

  var uri: String { "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)" }

  /// Whether both identify the same model.
  public static func == (left: Self, right: Self) -> Bool {
    if left.parts === right.parts { return true }
    if left.parts.stated == nil, right.parts.stated == nil, left.objectID == right.objectID { return true }
    // By its bytes: to Swift é in one scalar is equal to é in two, which may be the key of another model.
    return left.primaryKey.utf8.elementsEqual(right.primaryKey.utf8) && left.entityName == right.entityName
      && left.storeIdentifier == right.storeIdentifier
  }
  /// Hashes the entity and the row. Equal rows of different stores have the same hash.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey)
    hasher.combine(entityName)
  }
  /// Orders by store, then by entity, then by row.
  public static func < (left: Self, right: Self) -> Bool {
    if left.storeIdentifier != right.storeIdentifier {
      return left.storeIdentifier ?? "" < right.storeIdentifier ?? ""
    }
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    let (a, b) = (left.primaryKey, right.primaryKey)
    return a.utf8.count == b.utf8.count ? a < b : a.utf8.count < b.utf8.count
  }

  // The form in which Apple's framework encodes an identity.

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
    parts = Parts(
      nil,
      Texts(
        stored.entityName, store: stored.storeIdentifier ?? stored.uriRepresentation.host, key: stored.primaryKey,
        isTemporary: stored.isTemporary))
  }

  /// Encodes the form that ``init(from:)`` shows.
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
