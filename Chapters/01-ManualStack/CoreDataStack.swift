import CoreData

/// The stack as programs built it before there was `NSPersistentContainer`: four properties, each made at its first
/// use, each using the one below.
///
/// Ask for `managedObjectContext` on the main queue; that makes the other three. If the store can't be added, the
/// program goes on: the error is in `loadingFailure`, for the program to show, and `saveContext()` throws it.
public final class CoreDataStack {
  public static let storeName = "SingleViewCoreData.sqlite"
  static let errorDomain = "ManualStack"

  /// The names of the properties in the order in which they were made.
  public private(set) var made: [String] = []

  /// Why there is no store, if there is none: an error of this chapter's own around that of Core Data.
  public private(set) var loadingFailure: NSError?

  /// The type of the store. Nothing else in the program depends on it.
  public let storeType: String

  private let folder: URL?

  /// - Parameters:
  ///   - folder: Where the store's file is; the user's document folder if nil.
  ///   - storeType: `NSSQLiteStoreType`, or another that the coordinator knows.
  public init(folder: URL? = nil, storeType: String = NSSQLiteStoreType) {
    self.folder = folder
    self.storeType = storeType
  }

  /// The store's file. Each type has its own.
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
    // Without its model the program was built wrong. The user can't fix that, so stop here.
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
  /// Core Data's error says what SQLite or the file system met. This one says what that means
  /// for the user.
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
  /// - Throws: `loadingFailure` if there is no store, else the error of the save. The context
  ///   keeps its changes then, so the user can fix them and save again.
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
