import CoreData

/// The versions of the library's model, oldest first. All of them are compiled into `Library.momd`, since a program
/// has to know how the files looked that it finds.
public enum LibraryVersion: Int, CaseIterable, Comparable, Sendable {
  case one = 1
  case two, three, four

  public static let current = LibraryVersion.four

  public static func < (one: LibraryVersion, other: LibraryVersion) -> Bool { one.rawValue < other.rawValue }

  public var next: LibraryVersion? { LibraryVersion(rawValue: rawValue + 1) }

  //> version-model
  /// The model of this version: one file of the folder `Library.momd`.
  public var model: NSManagedObjectModel {
    get throws {
      guard let folder = Bundle.main.url(forResource: "Library", withExtension: "momd") else {
        throw LibraryFailure("The program has no Library.momd beside it.")
      }
      let name = self == .one ? "Library" : "Library \(rawValue)"
      let file = folder.appendingPathComponent("\(name).mom")
      guard let model = NSManagedObjectModel(contentsOf: file) else {
        throw LibraryFailure("\(folder.path) has no usable \(name).mom.")
      }
      return model
    }
  }
  //< version-model

  //> version-of-store
  /// The version that a store was written with. Nothing is opened but the file's metadata.
  public init(ofStoreAt url: URL) throws {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: url)
    for version in LibraryVersion.allCases {
      let model = try version.model
      if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) {
        self = version
        return
      }
    }
    throw LibraryFailure(
      "The store \(url.path) was written with none of the versions of the library's model.")
  }
  //< version-of-store
}

/// What went wrong with the library, in a sentence.
public struct LibraryFailure: LocalizedError {
  public let errorDescription: String?

  init(_ sentence: String) { errorDescription = sentence }
}
