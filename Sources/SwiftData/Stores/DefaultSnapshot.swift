import CoreData

/// What a snapshot of your own may keep of a model: values that can be encoded, and handed to other threads.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one model at one time. It can be encoded.
public protocol DataStoreSnapshot: Codable, Identifiable, Sendable {
  /// The model's identity.
  var persistentIdentifier: PersistentIdentifier { get }
  /// The same values with another identity.
  ///
  /// - Parameter remappedIdentifiers: new identities for the models that the values lead to, by their present ones.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// The model's identity.
  public var id: PersistentIdentifier { persistentIdentifier }
}

/// The values of one model: its attributes' values, and the identities that its relationships lead to.
///
/// It encodes the type of each value, so it can be decoded without the model's class.
public struct DefaultSnapshot: DataStoreSnapshot, Hashable {
  /// The model's identity.
  public let persistentIdentifier: PersistentIdentifier
  /// The values by property name. Values that are nil are missing.
  private let values: [String: Value]

  /// A value in the form that a managed object has.
  fileprivate enum Value: Codable, Hashable, Sendable {
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A number for which encoders may have no word: `nan`, `inf`, `-inf`.
    case special(String)
    case string(String)
    /// Seconds since 2001-01-01 00:00 UTC, so that encoders keep all digits.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case decimal(String)
    /// A struct or an enumeration.
    case record([String: Value])
    /// A collection, as JSON.
    case archive(Data)
    case model(PersistentIdentifier)
    case models([PersistentIdentifier])
  }

  /// The same values with another identity.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    let changed = values.mapValues { value -> Value in
      switch value {
      case .model(let identifier): Value.model(remappedIdentifiers?[identifier] ?? identifier)
      case .models(let identifiers): .models(identifiers.map { remappedIdentifiers?[$0] ?? $0 })
      default: value
      }
    }
    return DefaultSnapshot(persistentIdentifier, changed)
  }

  private init(_ persistentIdentifier: PersistentIdentifier, _ values: [String: Value]) {
    self.persistentIdentifier = persistentIdentifier
    self.values = values
  }

  // Managed objects.

  /// The current values of an object. Throws if only a value transformer can read an attribute.
  init(of object: NSManagedObject, identifier: (NSManagedObject) -> PersistentIdentifier) throws {
    var values: [String: Value] = [:]
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      guard let stored = object.value(forKey: name) else { continue }
      values[name] = try Value(stored, attribute, "\(object.entity.name ?? "").\(name)")
    }
    for (name, relationship) in object.entity.relationshipsByName {
      let related = object.value(forKey: name)
      if relationship.isToMany {
        values[name] = .models((related as? Set<NSManagedObject> ?? []).map(identifier).sorted())
      } else if let destination = related as? NSManagedObject {
        values[name] = .model(identifier(destination))
      }
    }
    self.init(identifier(object), values)
  }

  /// The attributes' values in the form that a managed object takes.
  func attributes(of entity: NSEntityDescription) -> [String: Any] {
    var found: [String: Any] = [:]
    for name in entity.attributesByName.keys { found[name] = values[name]?.stored }
    return found
  }

  /// Sets all values on an object.
  ///
  /// - Parameter destination: the object of an identity.
  func write(to object: NSManagedObject, destination: (PersistentIdentifier) throws -> NSManagedObject) throws {
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      object.setValue(values[name]?.stored, forKey: name)
    }
    for (name, relationship) in object.entity.relationshipsByName {
      let value: Any? =
        relationship.isToMany ? Set(try models(name).map(destination)) : try model(name).map(destination)
      object.setValue(value, forKey: name)
    }
  }

  /// The destination of a to-one relationship.
  func model(_ name: String) -> PersistentIdentifier? {
    if case .model(let identifier)? = values[name] { identifier } else { nil }
  }

  /// The destinations of a to-many relationship.
  func models(_ name: String) -> [PersistentIdentifier] {
    if case .models(let identifiers)? = values[name] { identifiers } else { [] }
  }

  /// A hash of all values, the same in every process. It serves as the row's version, which has to change when a value
  /// does.
  var version: UInt64 {
    var text = persistentIdentifier.uri
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { text += "\n\(name)=\(value.text)" }
    // The FNV-1a hash.
    return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension DefaultSnapshot.Value {
  fileprivate init(_ stored: Any, _ attribute: NSAttributeDescription, _ property: String) throws {
    switch (attribute.attributeType, stored) {
    case (.booleanAttributeType, let value as NSNumber): self = .bool(value.boolValue)
    case (.integer16AttributeType, let value as NSNumber), (.integer32AttributeType, let value as NSNumber),
      (.integer64AttributeType, let value as NSNumber):
      self = .int(value.int64Value)
    case (.decimalAttributeType, let value as NSDecimalNumber): self = .decimal("\(value.decimalValue)")
    case (.doubleAttributeType, let value as NSNumber), (.floatAttributeType, let value as NSNumber):
      let number = value.doubleValue
      self = number.isFinite ? .double(number) : .special("\(number)")
    case (.stringAttributeType, let value as String): self = .string(value)
    case (.dateAttributeType, let value as Date): self = .date(value.timeIntervalSinceReferenceDate)
    case (.binaryDataAttributeType, let value as Data): self = .data(value)
    case (.UUIDAttributeType, let value as UUID): self = .uuid(value)
    case (.URIAttributeType, let value as URL): self = .url(value)
    case (.compositeAttributeType, let value as [String: Any]):
      var parts: [String: Self] = [:]
      for element in (attribute as? NSCompositeAttributeDescription)?.elements ?? [] {
        guard let part = value[element.name] else { continue }
        parts[element.name] = try Self(part, element, "\(property).\(element.name)")
      }
      self = .record(parts)
    case (.transformableAttributeType, let value as Data): self = .archive(value)
    case (.transformableAttributeType, let value as NSData): self = .archive(Data(referencing: value))
    default:
      throw DataStoreBridge.Refusal(
        "\(property) can't be kept by a DataStore: only its transformer can make data of it.")
    }
  }

  fileprivate var stored: Any {
    switch self {
    case .bool(let value): NSNumber(value: value)
    case .int(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .special(let word): NSNumber(value: Double(word) ?? .nan)
    case .string(let value): value
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .decimal(let digits): NSDecimalNumber(decimal: Decimal(string: digits) ?? .nan)
    case .record(let parts): parts.mapValues(\.stored)
    case .archive(let data): NSData(data: data)
    case .model, .models: preconditionFailure("A relationship is no attribute.")
    }
  }

  fileprivate var text: String {
    switch self {
    case .record(let parts):
      parts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.text)" }.joined(separator: ",")
    // Printed, data are only as many bytes.
    case .data(let value), .archive(let value): value.base64EncodedString()
    default: "\(self)"
    }
  }
}
