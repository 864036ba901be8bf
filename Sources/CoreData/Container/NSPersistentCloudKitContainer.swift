import Foundation

/// A container whose stores Apple's framework can synchronize with CloudKit. Linux has no CloudKit. A store without
/// ``NSPersistentStoreDescription/cloudKitContainerOptions`` opens as in any container, as it does in a program without
/// an entitlement for iCloud. A file with them is refused: the handler gets an error that names CloudKit, and it is not
/// opened. A store in memory opens, since nobody expects another device to have what a test puts there.
nonisolated open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
  // `@unchecked Sendable`, as the superclass: it adds no state.

  /// Opens the stores as the superclass does, except those that should be synchronized: the handler is called for these
  /// first, before this returns, with an error.
  @preconcurrency
  open override func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let descriptions = persistentStoreDescriptions
    for description in descriptions {
      guard let options = description.optionsOfSynchronizedFile else { continue }
      let container = "CloudKit's container \(options.containerIdentifier)"
      block(description, Failure.unsupportedFeature("Synchronizing a store with \(container)").nsError)
    }
    load(descriptions.filter { $0.optionsOfSynchronizedFile == nil }, completionHandler: block)
  }

  /// Makes CloudKit's record types of the model. Throws an error that names CloudKit.
  open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
    throw Failure.unsupportedFeature("Making a schema for CloudKit").nsError
  }

  /// Whether objects of a store may be changed: of every store that is not read-only.
  open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

  /// Whether an object may be changed: every one that is not in a read-only store.
  open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    objectID.persistentStore.map(canModifyManagedObjects(in:)) ?? true
  }

  /// Whether an object may be deleted: every one that is not in a read-only store.
  open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    canUpdateRecord(forManagedObjectWith: objectID)
  }
}

extension NSPersistentStoreDescription {
  fileprivate var optionsOfSynchronizedFile: NSPersistentCloudKitContainerOptions? {
    isInMemory ? nil : cloudKitContainerOptions
  }
}

/// What ``NSPersistentCloudKitContainer/initializeCloudKitSchema(options:)`` should do.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
  /// The options' bits.
  public let rawValue: UInt
  /// Options of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Check the model, and send nothing.
  public static let dryRun = Self(rawValue: 1 << 1)
  /// Print the record types.
  public static let printSchema = Self(rawValue: 1 << 2)
}
