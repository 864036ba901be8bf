import CoreData

/// A property of a schema.
public protocol SchemaProperty: AnyObject {
  /// The property's name. Empty until the property belongs to a schema.
  var name: String { get }
  /// The property's name in an earlier version. The same as `name` if it didn't change.
  var originalName: String { get }
  /// The declared type without `?`.
  var valueType: Any.Type { get }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it leads to other models.
  var isRelationship: Bool { get }
  /// Whether the store has no column for it.
  var isTransient: Bool { get }
  /// Whether its value may be nil.
  var isOptional: Bool { get }
  /// Whether its values are unique.
  var isUnique: Bool { get }
}

extension Schema {
  /// A property that holds a value.
  public class Attribute: SchemaProperty {
    /// How an attribute's value is stored.
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

      /// Unique values: saving a new model with the value of a stored one updates the stored one.
      public static var unique: Option { Option(kind: .unique) }
      /// Large data is stored in files beside the store.
      public static var externalStorage: Option { Option(kind: .externalStorage) }
      /// Recorded in the model. Nothing is encrypted here, because that happens only in iCloud.
      public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
      /// The store's history keeps the value when a model is deleted.
      public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
      /// The value isn't stored. Setting it counts as a change like any other, and a model that is read from the store
      /// has the initial value, or nil. For simple types only.
      public static var ephemeral: Option { Option(kind: .ephemeral) }
      /// Recorded in the model without effect, because Linux has no Spotlight.
      public static var spotlight: Option { Option(kind: .spotlight) }
      /// A value transformer turns the value into data. It is found under the name of its class.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        Option(kind: .transformable(NSStringFromClass(transformer)))
      }
      /// The value transformer with this name turns the value into data.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(transformerName))
      }
    }

    /// The options of the attribute.
    public final let options: [Option]
    /// A text that changes the version hash.
    public final let hashModifier: String?
    /// The property's name. Empty until the property belongs to a schema.
    public final let name: String
    /// The declared type without `?`.
    public final let valueType: Any.Type
    /// The value of new models.
    public final let defaultValue: Any?
    /// Whether the value may be nil.
    public final let isOptional: Bool
    final let statedOriginalName: String?

    /// Makes what `@Attribute` describes.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.options = options
      self.hashModifier = hashModifier
      statedOriginalName = originalName
      (name, valueType, defaultValue, isOptional) = ("", Never.self, nil, false)
    }

    /// Makes an attribute with a name. Where a ``Schema/PropertyMetadata`` has it, the options, the original name and
    /// the modifier count; the property's name, type and initial value are those of the class.
    ///
    /// - Parameter valueType: the declared type, with or without `?`.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      let optional = valueType as? any OptionalValue.Type
      (self.name, self.valueType, isOptional) = (name, optional?.wrappedType ?? valueType, optional != nil)
      self.options = options
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      statedOriginalName = originalName
    }

    init(_ property: ModelProperty) {
      options = property.attribute?.options ?? []
      hashModifier = property.attribute?.hashModifier
      statedOriginalName = property.attribute?.statedOriginalName
      (name, valueType) = (property.name, property.type)
      (defaultValue, isOptional) = (property.defaultValue, property.isOptional)
    }

    /// Makes an attribute for one part of a value that is stored in several columns.
    init(_ part: ValueShape.Part) {
      (options, hashModifier, statedOriginalName) = ([], nil, nil)
      (name, valueType, defaultValue, isOptional) = (part.name, part.type, nil, part.isOptional)
    }

    /// The property's name in an earlier version. The same as `name` if it didn't change.
    public final var originalName: String { statedOriginalName ?? name }
    /// True.
    public final var isAttribute: Bool { true }
    /// False.
    public final var isRelationship: Bool { false }
    /// Whether the store has no column for it: see ``Option/ephemeral``.
    public final var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether its values are unique.
    public final var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer turns the value into data.
    public final var isTransformable: Bool { transformer != nil }

    final var transformer: String? {
      for option in options { if case .transformable(let name) = option.kind { return name } }
      return nil
    }
  }

  /// A property that leads to one model or to many.
  public final class Relationship: SchemaProperty {
    /// What happens to the destination when a model is deleted.
    public enum DeleteRule: String, Codable, Sendable {
      /// Nothing, so the destination keeps referring to the deleted model.
      case noAction
      /// The inverse relationship becomes nil, or loses the model.
      case nullify
      /// The destination is deleted too.
      case cascade
      /// Deleting fails with the save while there is a destination.
      case deny
    }

    /// An option of a relationship.
    public struct Option: Hashable, Sendable {
      private init() {}
      /// No two models lead to the same destination.
      public static var unique: Option { Option() }
    }

    /// The options of the relationship.
    public let options: [Option]
    /// What happens to the destination when a model is deleted.
    public let deleteRule: DeleteRule
    /// The least number of destinations.
    public let minimumModelCount: Int?
    /// The greatest number of destinations; 0 for no limit.
    public let maximumModelCount: Int?
    /// The property's key path. Nil until the property belongs to a schema.
    public let keypath: AnyKeyPath?
    /// The key path of the property that leads back, if `inverse:` named it.
    public let inverseKeyPath: AnyKeyPath?
    /// The name of the property that leads back: the one that `inverse:` names, here or there, or the only one that can
    /// be meant. Nil if there is none, and until the property belongs to a schema.
    ///
    /// The program ends with a message if `inverse:` names a wrong property anywhere in the schema.
    public var inverseName: String? {
      statedInverseName ?? inverses?.name(ofInverseOf: name, in: declarer)
    }
    /// A text that changes the version hash.
    public let hashModifier: String?
    /// The property's name. Empty until the property belongs to a schema.
    public let name: String
    /// The declared type without `?`.
    public let valueType: Any.Type
    /// Whether it may be nil.
    public let isOptional: Bool
    /// The name of the destination's entity.
    public let destination: String
    /// Whether it leads to at most one model.
    public let isToOneRelationship: Bool
    let statedOriginalName: String?
    private let statedInverseName: String?
    /// The name of the entity that declares the property.
    private let declarer: String
    /// Nil until the property belongs to a schema.
    private let inverses: InverseNames?

    /// Makes what `@Relationship` describes.
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
      (keypath, statedInverseName, inverses, declarer) = (nil, nil, nil, "")
      statedOriginalName = originalName
      (name, valueType, isOptional, destination, isToOneRelationship) = ("", Never.self, false, "", false)
    }

    init(
      _ property: ModelProperty, of declarer: String, to destination: any PersistentModel.Type, _ inverses: InverseNames
    ) {
      let stated = property.relationship ?? Relationship()
      options = stated.options
      deleteRule = stated.deleteRule
      minimumModelCount = stated.minimumModelCount
      maximumModelCount = stated.maximumModelCount
      hashModifier = stated.hashModifier
      inverseKeyPath = stated.inverseKeyPath
      keypath = property.keyPath
      statedInverseName = stated.inverseKeyPath.flatMap { ModelType.of(destination).property(statedAs: $0)?.name }
      (self.declarer, self.inverses) = (declarer, inverses)
      statedOriginalName = stated.statedOriginalName
      (name, valueType, isOptional) = (property.name, property.type, property.isOptional)
      self.destination = ModelType.of(destination).name
      if case .toOne = property.kind { isToOneRelationship = true } else { isToOneRelationship = false }
    }

    /// The property's name in an earlier version. The same as `name` if it didn't change.
    public var originalName: String { statedOriginalName ?? name }
    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }
    /// False.
    public var isTransient: Bool { false }
    /// Whether no two models lead to the same destination.
    public var isUnique: Bool { options.contains(.unique) }
  }
}

extension Schema.Attribute: Hashable {
  /// Whether both are the same attribute.
  public static func == (left: Schema.Attribute, right: Schema.Attribute) -> Bool { left === right }
  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Applies the options to an attribute of a managed object model.
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
  /// Whether both are the same relationship.
  public static func == (left: Schema.Relationship, right: Schema.Relationship) -> Bool { left === right }
  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
