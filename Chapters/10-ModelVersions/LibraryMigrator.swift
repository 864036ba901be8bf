import CoreData

//> migrator
/// Brings a store to a version, one step after the other: if you know how to go from 2 to 3
/// and from 3 to 4, you needn't know how to go from 2 to 4.
public struct LibraryMigrator {
  public let url: URL

  public init(url: URL) { self.url = url }

  /// - Parameter report: Called after each step.
  public func migrate(
    to goal: LibraryVersion,
    report: (LibraryVersion, LibraryVersion) throws -> Void = { _, _ in }
  ) throws {
    while case let version = try LibraryVersion(ofStoreAt: url), version < goal,
      let next = version.next
    {
      try step(from: version, to: next, by: try LibraryMapping.between(version, next))
      try report(version, next)
    }
  }

  /// One step: into a new file first, and only then over the old one.
  public func step(
    from old: LibraryVersion, to new: LibraryVersion, by mapping: NSMappingModel
  ) throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let migrated = folder.appendingPathComponent(url.lastPathComponent)

    let manager = NSMigrationManager(
      sourceModel: try old.model, destinationModel: try new.model)
    try manager.migrateStore(
      from: url, type: .sqlite, mapping: mapping, to: migrated, type: .sqlite)

    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try new.model)
    try coordinator.replacePersistentStore(
      at: url, withPersistentStoreFrom: migrated, type: .sqlite)
  }
}
//< migrator

extension LibraryMigrator {
  //> back-up
  /// Copies the store as it is at this moment, also while programs have it open.
  public func backUp(to copy: URL) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try coordinator.replacePersistentStore(
      at: copy, withPersistentStoreFrom: url, type: .sqlite)
  }
  //< back-up
}
