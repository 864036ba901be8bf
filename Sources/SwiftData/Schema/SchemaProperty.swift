import CoreData

/// A property in a schema.
public protocol SchemaProperty: AnyObject {
  /// The property's name; empty as long as it is in no schema.
  var name: String { get }
  /// The name it had in an earlier version; the same where there is none.
  var originalName: String { get }
  /// The declared type without `?`.
  var valueType: Any.Type { get }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it leads to models.
  var isRelationship: Bool { get }
  /// Whether no store has it, though it is a property of the schema.
  var isTransient: Bool { get }
  /// Whether it may be nil.
  var isOptional: Bool { get }
  /// Whether no two objects have the same value.
  var isUnique: Bool { get }
}

extension Schema {
  /// A property that holds a value.
  public class Attribute: SchemaProperty {
    /// How the value is kept.
    public struct Option: Hashable, Sendable {
      fileprivate enum Kind: Hashable, Sendable {
        case unique
        case externalStorage
        case allowsCloudEncryption
        case preserveValueOnDeletion
        case ephemeral
        case spotlight
        case transformable(String)
      }
      fileprivate let kind: Kind

      /// No two objects have the same value: inserting another one updates the first.
      public static var unique: Option { Option(kind: .unique) }
      /// Large data lie in files beside the store.
      public static var externalStorage: Option { Option(kind: .externalStorage) }
      /// Noted in the model; encryption happens in iCloud only.
      public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
      /// The store's history keeps the value of a deleted object.
      public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
      /// Changes are registered as those of any property, and are not written: what a row is read with is the initial
      /// value, or nil. For simple values.
      public static var ephemeral: Option { Option(kind: .ephemeral) }
      /// Noted in the model, without effect: there is no Spotlight here.
      public static var spotlight: Option { Option(kind: .spotlight) }
      /// A transformer makes data of the value; its name is that of its class.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        Option(kind: .transformable(NSStringFromClass(transformer)))
      }
      /// The transformer of a name makes data of the value.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(transformerName))
      }
    }

    /// How the value is kept.
    public final let options: [Option]
    /// A text that makes the version another.
    public final let hashModifier: String?
    /// The property's name; empty as long as it is in no schema.
    public final let name: String
    /// The declared type without `?`.
    public final let valueType: Any.Type
    /// What new objects have.
    public final let defaultValue: Any?
    /// Whether it may be nil.
    public final let isOptional: Bool
    final let statedOriginalName: String?

    /// What `@Attribute` says.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.options = options
      self.hashModifier = hashModifier
      statedOriginalName = originalName
      (name, valueType, defaultValue, isOptional) = ("", Never.self, nil, false)
    }

    init(_ property: ModelProperty) {
      options = property.attribute?.options ?? []
      hashModifier = property.attribute?.hashModifier
      statedOriginalName = property.attribute?.statedOriginalName
      (name, valueType) = (property.name, property.type)
      (defaultValue, isOptional) = (property.defaultValue, property.isOptional)
    }

    /// A part of a value that is kept in several columns.
    init(_ part: ValueShape.Part) {
      (options, hashModifier, statedOriginalName) = ([], nil, nil)
      (name, valueType, defaultValue, isOptional) = (part.name, part.type, nil, part.isOptional)
    }

    /// The name it had in an earlier version; the same where there is none.
    public final var originalName: String { statedOriginalName ?? name }
    /// True.
    public final var isAttribute: Bool { true }
    /// False.
    public final var isRelationship: Bool { false }
    /// Whether no store has it: see ``Option/ephemeral``.
    public final var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether no two objects have the same value.
    public final var isUnique: Bool { options.contains(.unique) }
    /// Whether a transformer makes data of the value.
    public final var isTransformable: Bool { transformer != nil }

    final var transformer: String? {
      for option in options { if case .transformable(let name) = option.kind { return name } }
      return nil
    }
  }

  /// A property that leads to a model, or to many.
  public final class Relationship: SchemaProperty {
    /// What becomes of the destination when the object is deleted.
    public enum DeleteRule: String, Codable, Sendable {
      /// Nothing; the destination refers to what is gone.
      case noAction
      /// The inverse becomes nil.
      case nullify
      /// The destination is deleted too.
      case cascade
      /// The save fails while there is a destination.
      case deny
    }

    /// How the relationship is kept.
    public struct Option: Hashable, Sendable {
      private init() {}
      /// No two objects lead to the same model.
      public static var unique: Option { Option() }
    }

    /// How the relationship is kept.
    public let options: [Option]
    /// What becomes of the destination when the object is deleted.
    public let deleteRule: DeleteRule
    /// How many models it has to lead to.
    public let minimumModelCount: Int?
    /// How many models it may lead to; 0 for any number.
    public let maximumModelCount: Int?
    /// The property in its class; nil as long as it is in no schema.
    public let keypath: AnyKeyPath?
    /// The property that leads back, if it is named.
    public let inverseKeyPath: AnyKeyPath?
    /// The name of that one.
    public let inverseName: String?
    /// A text that makes the version another.
    public let hashModifier: String?
    /// The property's name; empty as long as it is in no schema.
    public let name: String
    /// The declared type without `?`.
    public let valueType: Any.Type
    /// Whether it may be nil.
    public let isOptional: Bool
    /// The name of the entity that it leads to.
    public let destination: String
    /// Whether it leads to one model at most.
    public let isToOneRelationship: Bool
    let statedOriginalName: String?

    /// What `@Relationship` says.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
      inverseKeyPath = inverse
      (keypath, inverseName) = (nil, nil)
      statedOriginalName = originalName
      (name, valueType, isOptional, destination, isToOneRelationship) = ("", Never.self, false, "", false)
    }

    init(_ property: ModelProperty, to destination: any PersistentModel.Type) {
      let stated = property.relationship ?? Relationship()
      options = stated.options
      deleteRule = stated.deleteRule
      minimumModelCount = stated.minimumModelCount
      maximumModelCount = stated.maximumModelCount
      hashModifier = stated.hashModifier
      inverseKeyPath = stated.inverseKeyPath
      keypath = property.keyPath
      inverseName = stated.inverseKeyPath.flatMap { ModelType.of(destination).property(at: $0)?.name }
      statedOriginalName = stated.statedOriginalName
      (name, valueType, isOptional) = (property.name, property.type, property.isOptional)
      self.destination = ModelType.of(destination).name
      if case .toOne = property.kind { isToOneRelationship = true } else { isToOneRelationship = false }
    }

    /// The name it had in an earlier version; the same where there is none.
    public var originalName: String { statedOriginalName ?? name }
    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }
    /// False.
    public var isTransient: Bool { false }
    /// Whether no two objects lead to the same model.
    public var isUnique: Bool { options.contains(.unique) }
  }
}

extension Schema.Attribute: Hashable {
  /// Whether it is the same.
  public static func == (left: Schema.Attribute, right: Schema.Attribute) -> Bool { left === right }
  /// By its place in memory.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Gives an attribute of a managed object model what the options say.
  func apply(to attribute: NSAttributeDescription) {
    for option in options {
      switch option.kind {
      case .unique, .transformable: break
      case .externalStorage: attribute.allowsExternalBinaryDataStorage = true
      case .allowsCloudEncryption: attribute.allowsCloudEncryption = true
      case .ephemeral: attribute.isTransient = true
      case .spotlight: attribute.isIndexedBySpotlight = true
      case .preserveValueOnDeletion: attribute.preservesValueInHistoryOnDeletion = true
      }
    }
  }
}

extension Schema.Relationship: Hashable {
  /// Whether it is the same.
  public static func == (left: Schema.Relationship, right: Schema.Relationship) -> Bool { left === right }
  /// By its place in memory.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
