import Foundation

/// Where a store is, and which models it holds.
///
///     let configuration = ModelConfiguration("library", schema: Schema([Book.self, Author.self]))
///     configuration.url.lastPathComponent  // library.store
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Sendable {
  /// The type of store that it opens.
  public typealias Store = DefaultStore

  /// Whether iCloud synchronizes a store with a person's other devices. Linux has no iCloud, so no store is
  /// synchronized.
  public struct CloudKitDatabase: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
      case automatic
      case none
      case named(String)
    }
    fileprivate let kind: Kind

    /// The database that the program's entitlements name. Programs on Linux have no entitlements, so this means none.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(kind: .automatic) }
    /// No database.
    public static var none: CloudKitDatabase { CloudKitDatabase(kind: .none) }
    /// A private database. There is none on Linux, so ``ModelContainer`` refuses the configuration, unless its store is
    /// in memory: nothing of that would be synchronized anywhere.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .named(privateDBName))
    }
  }

  /// A folder in which several programs keep their stores.
  public struct GroupContainer: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
      case automatic
      case none
      case identified(String)
    }
    fileprivate let kind: Kind

    /// The group that the program's entitlements name. Programs on Linux have no entitlements, so this means none.
    public static var automatic: GroupContainer { GroupContainer(kind: .automatic) }
    /// No group: the store is in the user's folder for application data.
    public static var none: GroupContainer { GroupContainer(kind: .none) }
    /// The folder with the group's name in the user's folder for application data. It is created if it is missing. No
    /// entitlement protects it: every program of the same user that names the group can open its stores.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(kind: .identified(groupName))
    }
  }

  /// The store's file, or /dev/null if the store is in memory.
  public let url: URL
  /// The store's name, "default" unless you give one.
  public let name: String
  /// The models in this store; nil for all models of the container.
  public var schema: Schema?
  /// Whether the store accepts saves. If not, it is opened read-only.
  public let allowsSave: Bool
  /// Whether the store has no file: it is a SQLite store in memory, with a history, and shares its data with no other
  /// store. The data is lost when the container is released.
  public let isStoredInMemoryOnly: Bool
  /// Whether iCloud synchronizes the store with a person's other devices.
  public let cloudKitDatabase: CloudKitDatabase
  /// The folder that the store shares with stores of other programs.
  public let groupContainer: GroupContainer

  /// The store's file; nil if the store is in memory.
  var file: URL? { isStoredInMemoryOnly ? nil : url }

  /// Whether the file's name follows from the configuration's name.
  let isFileNamed: Bool

  /// The store's file.
  public var id: URL { url }
  /// The group's name, if the store is in a group's folder.
  public var groupAppContainerIdentifier: String? {
    if case .identified(let name) = groupContainer.kind { name } else { nil }
  }
  /// The name of the CloudKit database, if the configuration asks for one.
  public var cloudKitContainerIdentifier: String? {
    if case .named(let name) = cloudKitDatabase.kind { name } else { nil }
  }

  /// Throws a `SwiftDataError` if no store can be opened with this configuration.
  public func validate() throws {
    if let database = cloudKitContainerIdentifier, let file { throw SwiftDataError.noCloudKit(database, file) }
    if let group = groupAppContainerIdentifier, isFileNamed { try ModelConfiguration.check(group: group) }
    guard isFileNamed else { return }
    if name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters
    }
    if "\(name).store".utf8.count > 255 { throw SwiftDataError.configurationFileNameTooLong }
  }

  /// Throws unless the group's name is the name of a single folder: not empty, not "." or "..", and short enough.
  private static func check(group: String) throws {
    if group.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) || ["", ".", ".."].contains(group) {
      throw SwiftDataError.noGroupFolder(group)
    }
    if group.utf8.count > 255 { throw SwiftDataError.groupNameTooLong(group) }
  }

  /// A store for all models of the container.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store for these models, and for all models that they refer to.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store in the user's folder for application data: `~/.local/share/NAME.store`, or
  /// `~/.local/share/GROUP/NAME.store` with a group container.
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

  /// A store in the file at `url`.
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

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name and the place of the store, for logs: `ModelConfiguration default: /home/ada/.local/share/default.store`
  public var debugDescription: String {
    "ModelConfiguration \(name): " + (isStoredInMemoryOnly ? "in memory" : url.path)
      + (allowsSave ? "" : ", read-only")
  }
}
