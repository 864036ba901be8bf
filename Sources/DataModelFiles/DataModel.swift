import Foundation

/// One version of a data model: the content of an `.xcdatamodel` or of a `.mom`, as plain values.
///
/// Entities hold only the properties that they declare; `DataModel+Lookup.swift` finds inherited ones. Nothing here is
/// validated; that is the task of `DataModelValidator`.
public struct DataModel: Hashable, Sendable {
  /// The version's name: its folder's name without `.xcdatamodel`.
  public var name: String
  public var entities: [Entity] = []
  public var fetchRequestTemplates: [FetchRequestTemplate] = []
  /// The named configurations. The default configuration with all entities is implied.
  public var configurations: [Configuration] = []
  public var composites: [CompositeType] = []
  /// Hints for people, which don't enter the version hash. A model without hints has the set {""}.
  public var versionIdentifiers: [String] = [""]
  public var sourceLanguage = SourceLanguage.objectiveC
  public var isUsedWithCloudKit = false
  public var isUsedWithSwiftData = false
  /// What the editor recorded about itself and its requirements, kept unchanged.
  public var tools = ToolInformation()

  public init(name: String) { self.name = name }

  /// The language of generated classes. It has no effect on Linux, where classes are always Swift.
  public enum SourceLanguage: String, Sendable {
    case swift = "Swift"
    case objectiveC = "Objective-C"
  }

  public struct ToolInformation: Hashable, Sendable {
    public var type = ""
    public var documentVersion = ""
    public var lastSavedToolsVersion = ""
    public var systemVersion = ""
    public var minimumToolsVersion = ""
    public var macOSVersion = ""
    public var iOSVersion = ""
    /// The `name` attribute of the model, nearly always "".
    public var name = ""
    public var elementPositions: [ElementPosition] = []
    public init() {}
  }

  /// Where the editor's diagram shows an entity.
  public struct ElementPosition: Hashable, Sendable {
    public var name: String
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
  }

  /// A named subset of the entities.
  public struct Configuration: Hashable, Sendable {
    public var name: String
    public var entityNames: [String]
    public var isUsedWithCloudKit: Bool

    public init(name: String, entityNames: [String], isUsedWithCloudKit: Bool = false) {
      self.name = name
      self.entityNames = entityNames
      self.isUsedWithCloudKit = isUsedWithCloudKit
    }
  }

  /// A group of attributes. An attribute of type Composite refers to it by name.
  public struct CompositeType: Hashable, Sendable {
    public var name: String
    public var attributes: [Attribute]

    public init(name: String, attributes: [Attribute]) {
      self.name = name
      self.attributes = attributes
    }
  }
}
