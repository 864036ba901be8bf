import Foundation

/// Where models are stored, and which.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// Whether iCloud keeps a store in step with a person's other devices. Linux has no iCloud, so no store is.
  public struct CloudKitDatabase: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
      case automatic
      case none
      case named(String)
    }
    fileprivate let kind: Kind

    /// The database that the program's entitlements name: none here.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(kind: .automatic) }
    /// No database.
    public static var none: CloudKitDatabase { CloudKitDatabase(kind: .none) }
    /// A private database. It can't be reached from here, so a ``ModelContainer`` refuses the configuration.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .named(privateDBName))
    }
  }

  /// The folder that a store shares with other programs' stores.
  public struct GroupContainer: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
      case automatic
      case none
      case identified(String)
    }
    fileprivate let kind: Kind

    /// The group that the program's entitlements name: none here.
    public static var automatic: GroupContainer { GroupContainer(kind: .automatic) }
    /// No group: the store is in the user's folder for programs' data.
    public static var none: GroupContainer { GroupContainer(kind: .none) }
    /// A folder named like the group, in the user's folder for programs' data. It is made if it is missing. There are
    /// no entitlements here: every program of the user that names the group can open its stores.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(kind: .identified(groupName))
    }
  }

  /// The store's file; /dev/null for one in memory.
  public let url: URL
  /// The store's name: "default" if none was given.
  public let name: String
  /// The models that are stored there; nil for all of the container's.
  public private(set) var schema: Schema?
  /// Whether what is saved may be written.
  public let allowsSave: Bool
  /// Whether there is no file, and what is saved is gone with the container.
  public let isStoredInMemoryOnly: Bool
  /// Whether iCloud keeps the store in step with a person's other devices.
  public let cloudKitDatabase: CloudKitDatabase
  /// The folder that the store shares with other programs' stores.
  public let groupContainer: GroupContainer

  /// Whether the file is called as the configuration is.
  let isFileNamed: Bool

  /// The store's file.
  public var id: URL { url }
  /// The name of the group, if the store is in the folder of one.
  public var groupAppContainerIdentifier: String? {
    if case .identified(let name) = groupContainer.kind { name } else { nil }
  }
  /// The name of the CloudKit database, if there is to be one.
  public var cloudKitContainerIdentifier: String? {
    if case .named(let name) = cloudKitDatabase.kind { name } else { nil }
  }

  /// Throws a `SwiftDataError` if there can be no store as the configuration says.
  func check() throws {
    if let database = cloudKitContainerIdentifier { throw SwiftDataError.noCloudKit(database, url) }
    if let group = groupAppContainerIdentifier, isFileNamed { try ModelConfiguration.check(group: group) }
    guard isFileNamed else { return }
    if name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters
    }
    if "\(name).store".utf8.count > 255 { throw SwiftDataError.configurationFileNameTooLong }
  }

  /// Whether there can be a folder of a group's name, and it is a folder in the one for programs' data.
  private static func check(group: String) throws {
    if group.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) || ["", ".", ".."].contains(group) {
      throw SwiftDataError.noGroupFolder(group)
    }
    if group.utf8.count > 255 { throw SwiftDataError.groupNameTooLong(group) }
  }

  /// A store of all models of the container.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store of some models.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store in the user's folder for programs' data: `~/.local/share/NAME.store`, with a group
  /// `~/.local/share/GROUP/NAME.store`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    var folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    if case .identified(let group) = groupContainer.kind { folder.appendPathComponent(group, isDirectory: true) }
    self.name = name ?? "default"
    url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: "/dev/null") : folder.appendingPathComponent("\(name ?? "default").store")
    self.schema = schema
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    isFileNamed = !isStoredInMemoryOnly
    self.cloudKitDatabase = cloudKitDatabase
    self.groupContainer = groupContainer
  }

  /// A store in a file.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
    self.url = url
    self.schema = schema
    self.allowsSave = allowsSave
    isStoredInMemoryOnly = false
    isFileNamed = false
    self.cloudKitDatabase = cloudKitDatabase
    groupContainer = .none
  }
}
