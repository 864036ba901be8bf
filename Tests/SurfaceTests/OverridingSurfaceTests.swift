import CoreData
import Foundation
import Testing

// What Apple's import lets a subclass override, written as for Apple's platforms: `override`, without `required`.

private class Plant: NSManagedObject {
  var made = 0
  var asked: [String] = []

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    made = 1
    super.init(entity: entity, insertInto: context)
    made = 2
  }

  override class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Plant")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  override func changedValues() -> [String: Any] {
    asked.append("changedValues")
    return super.changedValues()
  }

  override func changedValuesForCurrentEvent() -> [String: Any] {
    asked.append("changedValuesForCurrentEvent")
    return super.changedValuesForCurrentEvent()
  }

  override func committedValues(forKeys keys: [String]?) -> [String: Any] {
    asked.append("committedValues")
    return super.committedValues(forKeys: keys)
  }

  override var hasPersistentChangedValues: Bool {
    asked.append("hasPersistentChangedValues")
    return super.hasPersistentChangedValues
  }

  override func hasFault(forRelationshipNamed key: String) -> Bool {
    asked.append("hasFault")
    return super.hasFault(forRelationshipNamed: key)
  }

  override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    asked.append("objectIDs")
    return super.objectIDs(forRelationshipNamed: key)
  }

  override func mutableSetValue(forKey key: String) -> NSMutableSet {
    asked.append("mutableSetValue")
    return super.mutableSetValue(forKey: key)
  }

  override func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    asked.append("mutableOrderedSetValue")
    return super.mutableOrderedSetValue(forKey: key)
  }

  override func value(forKeyPath keyPath: String) -> Any? {
    asked.append("value")
    return super.value(forKeyPath: keyPath)
  }

  override func setValue(_ value: Any?, forKeyPath keyPath: String) {
    asked.append("setValue")
    super.setValue(value, forKeyPath: keyPath)
  }

  override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    asked.append("dictionaryWithValues")
    return super.dictionaryWithValues(forKeys: keys)
  }

  override func setValuesForKeys(_ keyedValues: [String: Any]) {
    asked.append("setValuesForKeys")
    super.setValuesForKeys(keyedValues)
  }
}

/// It hides what would make it without a place, as hand-written classes do.
private final class Tree: Plant {
  @available(*, unavailable)
  public init() { fatalError("A tree needs a name.") }

  convenience init(context: NSManagedObjectContext) {
    let entity = NSEntityDescription.entity(forEntityName: "Tree", in: context)
    self.init(entity: entity ?? NSEntityDescription(), insertInto: context)
    setValue("tree", forKey: "name")
  }

  private override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    made = 3
  }
}

/// It has numbers that its class declares as never nil.
private final class Bed: Plant {
  override func setNilValueForKey(_ key: String) {
    asked.append("setNilValueForKey(\(key))")
    if key == "width" { setValue(1, forKey: key) } else { super.setNilValueForKey(key) }
  }
}

/// What libraries ask of their entities' classes.
private protocol Insertable {
  init(context: NSManagedObjectContext)
}

extension Insertable {
  fileprivate static func inserted(into context: NSManagedObjectContext) -> Self { Self(context: context) }
}

extension Plant: Insertable {}

private final class CountingStore: NSIncrementalStore {
  let source: String

  override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
    options: [AnyHashable: Any]?
  ) {
    source = options?["source"] as? String ?? "none"
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
  }

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: "CountingStore", NSStoreUUIDKey: UUID().uuidString]
  }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    [NSManagedObject]()
  }
}

private final class ArchiveStore: NSAtomicStore {
  let source: String

  override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    source = options?["source"] as? String ?? "none"
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    metadata = [NSStoreTypeKey: "ArchiveStore", NSStoreUUIDKey: UUID().uuidString]
  }

  override func load() throws {}
}

private final class NamedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
  override init(managedObjectModel model: NSManagedObjectModel) {
    super.init(managedObjectModel: model)
    name = "greenhouse"
  }
}

private final class FirstPolicy: NSEntityMigrationPolicy {
  let note: String

  override init() {
    note = "made"
    super.init()
  }
}

final class CapitalTransformer: ValueTransformer {
  let suffix: String

  override init() {
    suffix = "!"
    super.init()
  }

  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { $0.uppercased() + suffix } }
}

private final class FirstRequest: NSPersistentHistoryChangeRequest {
  let note: String

  override init() {
    note = "made"
    super.init()
  }
}

final class SuffixTransformer: ValueTransformer {
  let suffix: String

  init(suffix: String) {
    self.suffix = suffix
    super.init()
  }

  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { $0 + suffix } }
}

private final class LabelledCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
  let label: String

  init(label: String) {
    self.label = label
    super.init(managedObjectModel: NSManagedObjectModel())
  }
}

private final class CountingPolicy: NSEntityMigrationPolicy {
  let count: Int

  init(count: Int) {
    self.count = count
    super.init()
  }
}

/// An id as programs' tests make it up.
private class StubID: NSManagedObjectID, @unchecked Sendable {
  override func uriRepresentation() -> URL { URL(string: "x-coredata://stub/Plant/p1")! }
}

private final class SavedID: StubID, @unchecked Sendable {
  let plant: NSEntityDescription

  init(of plant: NSEntityDescription) {
    self.plant = plant
    super.init()
  }

  override var entity: NSEntityDescription { plant }
  override var isTemporaryID: Bool { false }
  override var persistentStore: NSPersistentStore? { nil }
}

@Suite("What a subclass may override")
struct OverridingSurfaceTests {
  @Test("An object's initializer, by whatever way the object is made")
  @MainActor func objects() throws {
    let context = try greenhouse()
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Plant", in: context))
    #expect(Plant(entity: entity, insertInto: context).made == 2)
    #expect(Plant(context: context).made == 2)
    #expect(made(Plant.self, context).map(\.made) == [2, 2, 2])
    #expect(Plant.inserted(into: context).made == 2)
    #expect((NSEntityDescription.insertNewObject(forEntityName: "Plant", into: context) as? Plant)?.made == 2)
    try context.save()
    context.reset()
    let plants = try context.fetch(NSFetchRequest<Plant>(entityName: "Plant"))
    #expect(plants.count == 7 && plants.allSatisfy { $0.made == 2 })
  }

  @Test("A class may have a private initializer, an unavailable one, and one of its own with a context")
  @MainActor func hidden() throws {
    let context = try greenhouse()
    let tree = Tree(context: context)
    #expect(tree.made == 3 && tree.value(forKey: "name") as? String == "tree")
    #expect((NSEntityDescription.insertNewObject(forEntityName: "Tree", into: context) as? Tree)?.made == 3)
  }

  @Test("The request of a class")
  func request() {
    let request: NSFetchRequest<any NSFetchRequestResult> = Plant.fetchRequest()
    #expect(request.sortDescriptors?.count == 1)
    let type: NSManagedObject.Type = Plant.self
    #expect(type.fetchRequest().sortDescriptors?.count == 1)
  }

  @Test("What tells of an object's changes and relationships, and key paths")
  @MainActor func methods() throws {
    let context = try greenhouse()
    let plant = Plant(context: context)
    plant.setValuesForKeys(["name": "fern"])
    plant.setValue("moss", forKeyPath: "name")
    let object: NSManagedObject = plant
    #expect(object.value(forKeyPath: "name") as? String == "moss")
    #expect(object.changedValues()["name"] as? String == "moss")
    #expect(object.changedValuesForCurrentEvent().keys.contains("name") && object.managedObjectContext === context)
    #expect(object.committedValues(forKeys: nil).isEmpty && object.hasPersistentChangedValues)
    #expect(!object.hasFault(forRelationshipNamed: "host") && object.objectIDs(forRelationshipNamed: "host").isEmpty)
    #expect(object.dictionaryWithValues(forKeys: ["name"])["name"] as? String == "moss")
    #expect(object.mutableSetValue(forKey: "guests").count == 0)
    #expect(object.mutableOrderedSetValue(forKey: "leaves").count == 0)
    #expect(
      plant.asked == [
        "setValuesForKeys", "setValue", "value", "changedValues", "changedValuesForCurrentEvent", "committedValues",
        "hasPersistentChangedValues", "hasFault", "objectIDs", "dictionaryWithValues", "mutableSetValue",
        "mutableOrderedSetValue",
      ])
  }

  @Test("What becomes of a number that is set to nil by its key")
  @MainActor func nilNumbers() throws {
    let context = try greenhouse()
    let bed = Bed(context: context)
    bed.setValue(nil, forKey: "width")
    #expect(bed.value(forKey: "width") as? Int == 1)
    bed.setValuesForKeys(["isWet": NSNull()])
    bed.setValue(nil, forKeyPath: "name")
    #expect(bed.value(forKey: "isWet") == nil && bed.value(forKey: "name") == nil)
    #expect(bed.asked.filter { $0.hasPrefix("setNil") } == ["setNilValueForKey(width)", "setNilValueForKey(isWet)"])
    let other = NSEntityDescription.insertNewObject(forEntityName: "Plant", into: context)
    other.setValue(nil, forKey: "name")
    #expect(other.value(forKey: "name") == nil)
  }

  @Test("The initializers of stores, which get the options, and of a coordinator")
  func stores() throws {
    let coordinator = NamedCoordinator(managedObjectModel: model())
    #expect(coordinator.name == "greenhouse")
    NSPersistentStoreCoordinator.registerStoreClass(CountingStore.self, forStoreType: "CountingStore")
    NSPersistentStoreCoordinator.registerStoreClass(ArchiveStore.self, forStoreType: "ArchiveStore")
    for type in ["CountingStore", "ArchiveStore"] {
      let store = try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: FileManager.default.temporaryDirectory.appending(path: type),
        options: ["source": "net"])
      #expect(((store as? CountingStore)?.source ?? (store as? ArchiveStore)?.source) == "net")
    }
  }

  @Test("The initializers of policies, requests and transformers, which are made by the names of their classes")
  func byName() {
    #expect(FirstPolicy().note == "made")
    #expect(FirstRequest.fetchHistory(after: Date()).note == "made")
    let name = NSValueTransformerName(NSStringFromClass(CapitalTransformer.self))
    #expect(ValueTransformer(forName: name)?.transformedValue("a") as? String == "A!")
  }

  @Test("A subclass may have initializers of its own, and lack those of its superclass")
  func own() {
    ValueTransformer.setValueTransformer(SuffixTransformer(suffix: "?"), forName: NSValueTransformerName("asking"))
    #expect(ValueTransformer(forName: NSValueTransformerName("asking"))?.transformedValue("a") as? String == "a?")
    #expect(LabelledCoordinator(label: "shed").label == "shed")
    #expect(CountingPolicy(count: 3).count == 3)
  }

  @Test("What an id says of itself; such ids are equal only to themselves")
  func ids() {
    let (stub, other) = (StubID(), StubID())
    #expect(stub.uriRepresentation() == other.uriRepresentation() && "\(stub)" == "<x-coredata://stub/Plant/p1>")
    #expect(stub == stub && stub != other && stub.hash == stub.hash && Set([stub, other, stub]) == [other, stub])
    #expect(stub != NSManagedObjectID() && NSManagedObjectID() != stub && stub.isTemporaryID)
    let plant = NSEntityDescription()
    let saved: NSManagedObjectID = SavedID(of: plant)
    #expect(saved.entity === plant && !saved.isTemporaryID && saved.persistentStore == nil && saved != stub)
    #expect([saved: 1, stub: 2][saved] == 1 && saved.copy() as? SavedID === saved)
  }

  @Test("If the class is made by its name, it ends the program by the name of the initializer that it lacks")
  func lacking() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ValueTransformer(forName: NSValueTransformerName(NSStringFromClass(SuffixTransformer.self)))
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Use of unimplemented initializer 'init()' for class 'SurfaceTests.SuffixTransformer'"))
  }
}

/// Objects of a class that only the caller knows.
private func made<Object: NSManagedObject>(_ type: Object.Type, _ context: NSManagedObjectContext) -> [Object] {
  let entity = NSEntityDescription.entity(forEntityName: "Plant", in: context) ?? NSEntityDescription()
  return [Object(context: context), Object(entity: entity, insertInto: context)] + [context].map(Object.init(context:))
}

private func model() -> NSManagedObjectModel {
  let plant = NSEntityDescription()
  plant.name = "Plant"
  plant.managedObjectClassName = NSStringFromClass(Plant.self)
  let name = NSAttributeDescription()
  name.name = "name"
  name.attributeType = .stringAttributeType
  let host = NSRelationshipDescription()
  host.name = "host"
  host.destinationEntity = plant
  host.maxCount = 1
  let guests = NSRelationshipDescription()
  guests.name = "guests"
  guests.destinationEntity = plant
  let leaves = NSRelationshipDescription()
  leaves.name = "leaves"
  leaves.destinationEntity = plant
  leaves.isOrdered = true
  plant.properties = [name, host, guests, leaves]
  let tree = NSEntityDescription()
  tree.name = "Tree"
  tree.managedObjectClassName = NSStringFromClass(Tree.self)
  let bed = NSEntityDescription()
  bed.name = "Bed"
  bed.managedObjectClassName = NSStringFromClass(Bed.self)
  let (width, isWet) = (NSAttributeDescription(), NSAttributeDescription())
  (width.name, width.attributeType) = ("width", .integer32AttributeType)
  (isWet.name, isWet.attributeType) = ("isWet", .booleanAttributeType)
  bed.properties = [width, isWet]
  plant.subentities = [tree, bed]
  let model = NSManagedObjectModel()
  model.entities = [plant, tree, bed]
  return model
}

@MainActor private func greenhouse() throws -> NSManagedObjectContext {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
  try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  return context
}
