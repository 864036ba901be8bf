import Foundation

/// The VersionInfo.plist of a `.momd`: the current version, and the version hashes of all versions.
public struct VersionInfo: Sendable {
  /// Nil in files of old compilers if there is only one version.
  public var currentVersionName: String?
  /// 32 bytes for each entity, by version name, then by entity name.
  public var hashes: [String: [String: [UInt8]]] = [:]
  /// By version name. Only newer compilers write checksums.
  public var checksums: [String: String] = [:]

  /// Computes the values for the versions of a package.
  public init(_ package: DataModelPackage) {
    currentVersionName = package.currentVersionName
    for version in package.versions {
      hashes[version.name] = version.entityVersionHashes()
      checksums[version.name] = version.versionChecksum()
    }
  }

  /// Reads the file in a `.momd`. It is binary, as compilers write it, or XML.
  ///
  /// - Throws: `InvalidDataModel`.
  public init(momd: URL) throws {
    let file = momd.appendingPathComponent("VersionInfo.plist")
    guard let data = try ModelFileContent.read(file.path) else {
      let exists = FileManager.default.fileExists(atPath: momd.path)
      throw InvalidDataModel(
        file: momd.path,
        message: exists ? "there is no VersionInfo.plist in it" : "there is no such compiled model")
    }
    guard let plist = try? PropertyListReader.read(data).dictionary else {
      throw InvalidDataModel(file: file.path, message: "the file is not a property list")
    }
    currentVersionName = plist["NSManagedObjectModel_CurrentVersionName"]?.string
    let stated = plist["NSManagedObjectModel_VersionHashes"]?.dictionary ?? [:]
    hashes = stated.mapValues { ($0.dictionary ?? [:]).compactMapValues(\.data) }
    checksums = (plist["NSManagedObjectModel_VersionChecksums"]?.dictionary ?? [:]).compactMapValues(\.string)
  }

  /// The bytes of the file.
  public var bytes: [UInt8] {
    var plist: [String: PropertyList] = [
      "NSManagedObjectModel_VersionHashes": .dictionary(
        hashes.mapValues { .dictionary($0.mapValues { .data($0) }) }),
      "NSManagedObjectModel_VersionChecksums": .dictionary(checksums.mapValues { .string($0) }),
    ]
    if let currentVersionName {
      plist["NSManagedObjectModel_CurrentVersionName"] = .string(currentVersionName)
    }
    return BinaryPropertyListWriter.write(.dictionary(plist))
  }
}
