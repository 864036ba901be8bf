import CoreData
import Testing

// This target is compiled in the Swift 6 language mode with the main actor as default isolation, as new Xcode
// projects are. Subclasses of the module's classes stay nonisolated, whatever the default.

final class Leaf: NSManagedObject {
  var awakened = 0

  override func awakeFromInsert() {
    super.awakeFromInsert()
    awakened += 1
    stamp()
  }

  override func willSave() { super.willSave() }

  private func stamp() { setPrimitiveValue("blank", forKey: "title") }
}

extension Leaf {
  /// Without `@NSManaged`, whose accessors need the model compiler.
  var heading: String { (value(forKey: "title") as? String ?? "").uppercased() }
}

final class LeafContainer: NSPersistentContainer, @unchecked Sendable {
  override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }

  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.name = "leaves"
    return context
  }
}

class LenientPolicy: NSMergePolicy {
  override func resolve(mergeConflicts list: [Any]) throws {}
}

class Shouting: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
}

/// On the main actor without a word, as this target's types are.
final class Leaves {
  let container: LeafContainer

  init() {
    let entity = NSEntityDescription()
    entity.name = "Leaf"
    entity.managedObjectClassName = NSStringFromClass(Leaf.self)
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    entity.properties = [title]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    container = LeafContainer(name: "Leaves", managedObjectModel: model)
    container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
    container.loadPersistentStores { _, error in
      if let error { fatalError(error.localizedDescription) }
    }
    container.viewContext.mergePolicy = LenientPolicy(merge: .overwriteMergePolicyType)
  }

  func add() async throws -> NSManagedObjectID {
    try await container.performBackgroundTask { context in
      let leaf = Leaf(context: context)
      try context.save()
      return leaf.objectID
    }
  }

  func rename(_ id: NSManagedObjectID, to title: String) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
      context.object(with: id).setValue(title, forKey: "title")
      try context.save()
    }
  }

  func headings() throws -> [String] {
    container.viewContext.refreshAllObjects()
    return try container.viewContext.fetch(NSFetchRequest<Leaf>(entityName: "Leaf")).map(\.heading)
  }
}

@Suite("The main actor as default isolation")
struct DefaultIsolationTests {
  @Test("Objects, containers and policies of a target on the main actor work on their own queues")
  func leaves() async throws {
    let leaves = Leaves()
    let id = try await leaves.add()
    #expect(try leaves.headings() == ["BLANK"])
    try await leaves.rename(id, to: "One")
    #expect(try leaves.headings() == ["ONE"])
    #expect(Shouting().transformedValue("x") as? String == "X")
  }
}
