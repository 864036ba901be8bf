import CoreData
import Testing

// Classes of a data model in a target with the main actor as default isolation.

/// Its properties are generated.
public final class Shrub: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    name = "green"
  }
}

public final class Grove: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var trees: NSSet?

  public override func awakeFromInsert() {
    super.awakeFromInsert()
    name = "unnamed"
  }

  var initial: String? {
    willAccessValue(forKey: "initial")
    defer { didAccessValue(forKey: "initial") }
    return name.map { String($0.prefix(1)) }
  }

  func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    if value.pointee as? String == "desert" { throw CocoaError(.validationStringPatternMatching) }
  }
}

@MainActor protocol Labelled {
  var label: String { get }
}

extension Grove: Labelled {
  var label: String { "Grove of \(name ?? "nobody")" }
  @MainActor var shortLabel: String { "G" }
}

nonisolated enum Forestry {
  /// Off the main actor.
  static func plant(in container: NSPersistentContainer) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let grove = Grove(context: context)
      for (species, height) in [("oak", 12.0), ("elm", 9), ("birch", 4)] {
        let tree = Tree(context: context)
        tree.species = species
        tree.height = height
        tree.grove = grove
      }
      guard Shrub(context: context).name == "green" else { return [] }
      try context.save()
      let request = Tree.fetchRequest()
      request.predicate = NSPredicate(#Predicate<Tree> { $0.height > 5 })
      request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Tree.species))]
      return try context.fetch(request).compactMap(\.species)
    }
  }

  static func labels(in container: NSPersistentContainer) async throws -> [String?] {
    await container.performBackgroundTask { context in
      let grove = Grove(context: context)
      return ["label", "shortLabel"].map { grove.value(forKey: $0) as? String }
    }
  }

  static func saveDesert(in container: NSPersistentContainer) async throws {
    try await container.performBackgroundTask { context in
      Grove(context: context).name = "desert"
      try context.save()
    }
  }
}

@Suite("A data model in a target on the main actor")
struct GroveTests {
  private func container() -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Grove")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    return container
  }

  @Test(
    "Generated properties serve awakeFromInsert, #Predicate and SortDescriptor, on other queues and on the main one")
  func generated() async throws {
    let container = container()
    #expect(try await Forestry.plant(in: container) == ["elm", "oak"])
    let groves = try container.viewContext.fetch(NSFetchRequest<Grove>(entityName: "Grove"))
    #expect(groves.map(\.name) == ["unnamed"])
    #expect(groves.first?.trees?.count == 3)
  }

  @Test("A class's own accessor of a transient attribute is found by its key")
  func ownAccessor() {
    let grove = Grove(context: container().viewContext)
    #expect(grove.value(forKey: "initial") as? String == "u")
  }

  @Test("Properties of the main actor are found by their keys on other queues, as through Objective-C")
  func computed() async throws {
    #expect(try await Forestry.labels(in: container()) == ["Grove of unnamed", "G"])
  }

  @Test("A class's own method that validates a value is found off the main actor")
  func validator() async throws {
    let container = container()
    await #expect(throws: CocoaError(.validationStringPatternMatching)) {
      try await Forestry.saveDesert(in: container)
    }
  }
}
