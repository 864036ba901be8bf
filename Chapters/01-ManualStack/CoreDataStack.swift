import CoreData

/// The stack as a program had to build it before there was `NSPersistentContainer`: four properties, each
/// made when it is first asked for, each asking for the one below.
///
/// Ask for `managedObjectContext` on the main queue; that makes the other three. A store that cannot be
/// added does not end the program: it is kept in `loadingFailure`, which the program shows to its user, and
/// which `saveContext()` throws.
public final class CoreDataStack {
  public static let storeName = "SingleViewCoreData.sqlite"
  static let errorDomain = "ManualStack"

  /// The names of the properties in the order in which they came to be.
  public private(set) var made: [String] = []

  /// Why there is no store, if there is none: an error of this chapter's own around that of Core Data.
  public private(set) var loadingFailure: NSError?

  /// Of which type the store is. Nothing else in the program depends on it.
  public let storeType: String

  private let folder: URL?

  /// - Parameters:
  ///   - folder: Where the store's file is; the user's document folder if nil.
  ///   - storeType: `NSSQLiteStoreType`, or another that the coordinator knows.
  public init(folder: URL? = nil, storeType: String = NSSQLiteStoreType) {
    self.folder = folder
    self.storeType = storeType
  }

  /// The store's file: one of its own for each type.
  public var storeURL: URL {
    let name = storeType == NSSQLiteStoreType ? Self.storeName : "SingleViewCoreData." + storeType.lowercased()
    return applicationDocumentsDirectory.appendingPathComponent(name)
  }

  //> directory
  public lazy var applicationDocumentsDirectory: URL = {
    made.append("applicationDocumentsDirectory")
    return folder
      ?? FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).last
      ?? FileManager.default.temporaryDirectory
  }()
  //< directory

  //> model
  public lazy var managedObjectModel: NSManagedObjectModel = {
    made.append("managedObjectModel")
    // Without its model the program was built wrong. No user can mend that, so stop here.
    guard let url = Bundle.main.url(forResource: "SingleViewCoreData", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("The model SingleViewCoreData.momd is not among the program's resources.") }
    return model
  }()
  //< model

  //> coordinator
  public lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator = {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
    let url = storeURL
    made.append("persistentStoreCoordinator")
    do {
      try coordinator.addPersistentStore(
        ofType: storeType, configurationName: nil, at: url, options: nil)
    } catch {
      loadingFailure = Self.failure(adding: url, because: error)
    }
    return coordinator
  }()
  //< coordinator

  //> context
  public lazy var managedObjectContext: NSManagedObjectContext = {
    let coordinator = persistentStoreCoordinator
    made.append("managedObjectContext")
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }()
  //< context

  //> failure
  /// Core Data's error says what SQLite or the file system met; this one says what it means to
  /// the user.
  private static func failure(adding url: URL, because error: any Error) -> NSError {
    NSError(
      domain: errorDomain, code: 1,
      userInfo: [
        NSLocalizedDescriptionKey: "The saved data could not be opened",
        NSLocalizedFailureReasonErrorKey:
          "The store \(url.path) could not be added to the coordinator",
        NSUnderlyingErrorKey: error as NSError,
      ])
  }
  //< failure

  //> save
  /// Writes what has changed, if anything has.
  ///
  /// - Throws: `loadingFailure` if there is no store to write to, else what the save met. The
  ///   context keeps its changes then, so the user can mend them and save again.
  public func saveContext() throws {
    let context = managedObjectContext
    if let loadingFailure { throw loadingFailure }
    guard context.hasChanges else { return }
    try context.save()
  }
  //< save

  /// Takes the store off the coordinator, which closes its file.
  public func close() throws {
    managedObjectContext.reset()
    for store in persistentStoreCoordinator.persistentStores {
      try persistentStoreCoordinator.remove(store)
    }
  }
}
