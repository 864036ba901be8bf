import CoreData
import Foundation

extension NSManagedObjectContext {
  /// A context in one line, as many small libraries have it.
  convenience init(coordinator: NSPersistentStoreCoordinator, type: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: type)
    persistentStoreCoordinator = coordinator
    mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    undoManager = nil
    name = "made in one line"
  }

  convenience init(childOf parent: NSManagedObjectContext) {
    self.init(concurrencyType: .privateQueueConcurrencyType)
    self.parent = parent
    automaticallyMergesChangesFromParent = true
  }

  /// A child for editing: saved through to the file, or thrown away.
  func makeChild() -> NSManagedObjectContext { NSManagedObjectContext(childOf: self) }

  /// Saves this context and all above it.
  func saveToDisk() throws {
    var context: NSManagedObjectContext? = self
    while let each = context {
      try each.performAndWait { if each.hasChanges { try each.save() } }
      context = each.parent
    }
  }
}

/// A context that counts what goes through it.
final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
  var saves = 0
  var deletions = 0

  override init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    super.init(concurrencyType: ct)
    name = "counting"
    mergePolicy = NSMergePolicy.rollback
    retainsRegisteredObjects = true
    shouldDeleteInaccessibleFaults = false
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }

  override func save() throws {
    saves += 1
    try super.save()
  }

  override func delete(_ object: NSManagedObject) {
    deletions += 1
    super.delete(object)
  }
}

/// A container that knows where its store lies, and makes its background contexts.
final class PantryContainer: NSPersistentContainer, @unchecked Sendable {
  private let folder: URL

  init(folder: URL, inMemory: Bool = false) {
    self.folder = folder
    super.init(name: "Pantry", managedObjectModel: PantryContainer.model)
    let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("pantry.sqlite"))
    if inMemory { description.type = NSInMemoryStoreType }
    description.shouldMigrateStoreAutomatically = true
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    persistentStoreDescriptions = [description]
  }

  static let model: NSManagedObjectModel = {
    let url = Bundle.module.url(forResource: "Pantry", withExtension: "momd")!
    return NSManagedObjectModel(contentsOf: url)!
  }()

  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    context.transactionAuthor = "background"
    return context
  }

  /// Loads and hands back the first error, as wrappers around the callback do.
  func load() throws {
    var failure: (any Error)?
    loadPersistentStores { _, error in failure = failure ?? error }
    if let failure { throw failure }
    viewContext.automaticallyMergesChangesFromParent = true
  }
}
