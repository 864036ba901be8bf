import Foundation

/// A model with all its versions: an `.xcdatamodeld` or `.momd`, or a single version on its own.
public struct DataModelPackage: Sendable {
  /// The package's name without extension.
  public var name: String
  /// The versions, ordered by name.
  public var versions: [DataModel]
  public var currentVersionName: String
  /// Oddities that do no harm.
  public var warnings: [DataModelProblem] = []

  public init(name: String, versions: [DataModel], currentVersionName: String) {
    self.name = name
    self.versions = versions
    self.currentVersionName = currentVersionName
  }

  /// The version to use unless you choose another.
  public var currentVersion: DataModel {
    guard let version = versions.first(where: { $0.name == currentVersionName }) else {
      preconditionFailure("The data model \(name) has no version \"\(currentVersionName)\".")
    }
    return version
  }
}
