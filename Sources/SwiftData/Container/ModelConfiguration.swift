import Foundation

/// Where models are stored, and which.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// Whether a store is the same on a person's other devices. There is no iCloud here: never.
  public struct CloudKitDatabase: Hashable, Sendable {
    private init() {}
    /// What the program is entitled to, which is nothing.
    public static var automatic: CloudKitDatabase { CloudKitDatabase() }
    /// Never.
    public static var none: CloudKitDatabase { CloudKitDatabase() }
  }

  /// Which folder of several programs the store is in. There are none here.
  public struct GroupContainer: Hashable, Sendable {
    private init() {}
    /// What the program is entitled to, which is none.
    public static var automatic: GroupContainer { GroupContainer() }
    /// The program's own folder.
    public static var none: GroupContainer { GroupContainer() }
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
  /// Whether a store is the same on a person's other devices.
  public let cloudKitDatabase: CloudKitDatabase
  /// Which folder of several programs the store is in.
  public let groupContainer: GroupContainer

  /// Whether the file is called as the configuration is.
  let isFileNamed: Bool

  /// The store's file.
  public var id: URL { url }

  /// Whether there can be a file of the configuration's name.
  func checkFileName() throws {
    guard isFileNamed else { return }
    if name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters
    }
    if "\(name).store".utf8.count > 255 { throw SwiftDataError.configurationFileNameTooLong }
  }

  /// A store of all models of the container.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store of some models.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store in the user's folder for programs' data: `~/.local/share/NAME.store`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
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
