import CoreData

/// The stack of an application in the Swift 6 language mode: an actor-isolated face, background work by ids.
@MainActor
final class Shelf {
  let container: NSPersistentContainer
  private(set) var lastError: (any Error)?

  init() {
    container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
    container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
    container.loadPersistentStores { _, error in
      if let error { fatalError(error.localizedDescription) }
    }
    container.viewContext.automaticallyMergesChangesFromParent = true
    container.viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  }

  static let model: NSManagedObjectModel = {
    let volume = NSEntityDescription()
    volume.name = "Volume"
    volume.managedObjectClassName = NSStringFromClass(Volume.self)
    let title = NSAttributeDescription()
    title.name = "title"
    title.type = .string
    let pages = NSAttributeDescription()
    pages.name = "pages"
    pages.type = .integer32
    pages.defaultValue = 0
    volume.properties = [title, pages]
    let model = NSManagedObjectModel()
    model.entities = [volume]
    return model
  }()

  /// Adds volumes in the background; what crosses over is their ids.
  func add(_ titles: [String]) async throws -> [NSManagedObjectID] {
    try await container.performBackgroundTask { context in
      let volumes = titles.map { title in
        let volume = Volume(context: context)
        volume.title = title
        return volume
      }
      try context.save()
      return volumes.map(\.objectID)
    }
  }

  /// A block of a main actor's method, run on a queue of the context's own.
  func rename(_ id: NSManagedObjectID, to title: String, then finish: @escaping @Sendable () -> Void) {
    let context = container.newBackgroundContext()
    context.perform {
      (context.object(with: id) as? Volume)?.title = title
      try? context.save()
      finish()
    }
  }

  func countAndWait() throws -> Int {
    let context = container.newBackgroundContext()
    var count = 0
    try context.performAndWait {
      count = try context.count(for: NSFetchRequest<Volume>(entityName: "Volume"))
    }
    return count
  }

  func title(of id: NSManagedObjectID) throws -> String? {
    try (container.viewContext.existingObject(with: id) as? Volume)?.title
  }

  nonisolated func countInBackground() async throws -> Int {
    let context = container.newBackgroundContext()
    return try await context.perform {
      let request = NSFetchRequest<Volume>(entityName: "Volume")
      request.predicate = NSPredicate(format: "title != nil AND pages >= %d", 0)
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Volume.title, ascending: true)]
      return try context.count(for: request)
    }
  }
}

final class Volume: NSManagedObject {
  @NSManaged var title: String?
  @NSManaged var pages: Int32
}

/// A value for other actors.
struct VolumeValue: Sendable, Identifiable {
  let id: NSManagedObjectID
  let title: String

  init(_ volume: Volume) {
    id = volume.objectID
    title = volume.title ?? ""
  }
}

actor Library {
  private let context: NSManagedObjectContext

  init(container: NSPersistentContainer) {
    context = container.newBackgroundContext()
    context.mergePolicy = NSMergePolicy(merge: .overwriteMergePolicyType)
  }

  func volumes() async throws -> [VolumeValue] {
    try await context.perform { [context] in
      let request = NSFetchRequest<Volume>(entityName: "Volume")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      return try context.fetch(request).map(VolumeValue.init)
    }
  }

  func rename(_ id: NSManagedObjectID, to title: String) async throws {
    try await context.perform { [context] in
      guard let volume = context.object(with: id) as? Volume else { return }
      volume.title = title
      try context.save()
    }
  }

  func save() throws {
    try context.performAndWait { if context.hasChanges { try context.save() } }
  }
}
