import CoreData

//> volume-list
/// What a window shows. It is bound to the main actor, as its objects are to the view context.
@MainActor
final class VolumeList {
  private let container: NSPersistentContainer
  private(set) var volumes: [Volume] = []

  init(of container: NSPersistentContainer) { self.container = container }

  func read() throws {
    let request = NSFetchRequest<Volume>(entityName: "Volume")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    volumes = try container.viewContext.fetch(request)
  }

  /// The object stays here. What goes to the other queue is its id, and a text.
  func rename(_ volume: Volume, to title: String) async throws {
    let id = volume.objectID
    try await container.performBackgroundTask { context in
      let other = try context.existingObject(with: id) as? Volume
      other?.title = title
      try context.save()
    }
    try read()
  }
}
//< volume-list
