import CoreData
import Foundation
import Testing

// Swift runs no property observers for assignments in an initializer, those of extensions in other modules included:
// whatever a property does, it has to do here as well.

extension NSManagedObjectContext {
  fileprivate convenience init(coordinator: NSPersistentStoreCoordinator) {
    self.init(concurrencyType: .mainQueueConcurrencyType)
    persistentStoreCoordinator = coordinator
    name = "list"
    transactionAuthor = "app"
    mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    propagatesDeletesAtEndOfEvent = true
    shouldDeleteInaccessibleFaults = true
    stalenessInterval = 5
    automaticallyMergesChangesFromParent = true
    undoManager = UndoManager(levels: 3)
    retainsRegisteredObjects = true
  }

  fileprivate convenience init(childOf parent: NSManagedObjectContext) {
    self.init(concurrencyType: .privateQueueConcurrencyType)
    self.parent = parent
  }

  fileprivate convenience init(policy: Any) {
    self.init(concurrencyType: .privateQueueConcurrencyType)
    mergePolicy = policy
  }
}

// Factories of extensions, which make an object of the class that they are called on.

extension NSManagedObjectContext {
  fileprivate static func background(of coordinator: NSPersistentStoreCoordinator) -> Self {
    let context = self.init(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate class func empty() -> Self { self.init(managedObjectModel: NSManagedObjectModel()) }
}

extension NSPersistentContainer {
  fileprivate static func stamps() -> Self {
    self.init(name: "Stamps", managedObjectModel: NSManagedObjectModel(oneEntity: NSEntityDescription(named: "Stamp")))
  }
  fileprivate static func missing() -> Self { self.init(name: "NoSuchModel") }
}

extension NSManagedObjectModel {
  fileprivate static func of(_ entities: NSEntityDescription...) -> Self {
    let model = self.init()
    model.entities += entities
    return model
  }
}

extension NSEntityDescription {
  fileprivate class func called(_ name: String, _ properties: NSPropertyDescription...) -> Self {
    let entity = self.init()
    (entity.name, entity.properties) = (name, properties)
    return entity
  }
}

extension NSPropertyDescription {
  fileprivate static func called(_ name: String) -> Self {
    let property = self.init()
    (property.name, property.isOptional) = (name, false)
    return property
  }
}

extension NSAttributeDescription {
  fileprivate static func text(_ name: String) -> NSAttributeDescription {
    let attribute = self.init()
    (attribute.name, attribute.attributeType) = (name, .stringAttributeType)
    return attribute
  }
}

private final class NotedEntity: NSEntityDescription {
  let note: String

  override init() {
    note = "noted"
    super.init()
  }
  required init?(coder: NSCoder) { fatalError("An entity is in no archive.") }
}

private final class NotedContext: NSManagedObjectContext {
  let note: String

  override init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    note = concurrencyType == .privateQueueConcurrencyType ? "private" : "main"
    super.init(concurrencyType: concurrencyType)
  }

  required init?(coder: NSCoder) { fatalError("A context is in no archive.") }
}

private class NotedContainer: NSPersistentContainer, @unchecked Sendable {
  var note = ""

  override init(name: String, managedObjectModel model: NSManagedObjectModel) {
    super.init(name: name, managedObjectModel: model)
    note = "\(name) of \(model.entities.count)"
  }
}

private final class SubclassedContainer: NotedContainer, @unchecked Sendable {}

private final class EditingContext: NSManagedObjectContext {
  init(of parent: NSManagedObjectContext) {
    super.init(concurrencyType: .mainQueueConcurrencyType)
    self.parent = parent
    undoManager = UndoManager()
    retainsRegisteredObjects = true
  }

  required init?(coder: NSCoder) { fatalError("A context is in no archive.") }
}

/// Models as programs write them in code, with the initializer that Apple's framework asks for.
private final class ListModel: NSManagedObjectModel {
  override init() {
    super.init()
    let entity = ListEntity("Line", [TextAttribute("text")])
    entities = [entity]
    versionIdentifiers = [1]
  }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}

private final class ListEntity: NSEntityDescription {
  init(_ name: String, _ properties: [NSPropertyDescription]) {
    super.init()
    self.name = name
    self.properties = properties
  }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}

private final class TextAttribute: NSAttributeDescription {
  init(_ name: String) {
    super.init()
    (self.name, attributeType) = (name, .stringAttributeType)
  }
  // Copies are made without arguments.
  override init() { super.init() }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}

private final class LineRequest: NSFetchRequest<NSManagedObject> {
  override init() {
    super.init()
    sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
  }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}

extension UndoManager {
  fileprivate convenience init(levels: Int) {
    self.init()
    groupsByEvent = false
    runLoopModes = [.default]
    for index in 0..<5 {
      beginUndoGrouping()
      registerUndo(withTarget: self) { _ in }
      setActionName("\(index)")
      endUndoGrouping()
    }
    levelsOfUndo = levels
    groupsByEvent = true
  }
}

extension NSFetchRequest<NSFetchRequestResult> {
  fileprivate convenience init(everythingOf entity: NSEntityDescription) {
    self.init()
    self.entity = entity
    predicate = NSPredicate(format: "name BEGINSWITH 'a'")
    sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    fetchLimit = 2
    fetchOffset = 1
    fetchBatchSize = 20
    resultType = .dictionaryResultType
    includesSubentities = false
    includesPropertyValues = false
    returnsObjectsAsFaults = false
    includesPendingChanges = false
    returnsDistinctResults = true
    propertiesToFetch = ["name"]
    propertiesToGroupBy = ["name"]
    havingPredicate = NSPredicate(format: "name != nil")
    relationshipKeyPathsForPrefetching = ["notes"]
    shouldRefreshRefetchedObjects = true
    affectedStores = []
  }
}

private final class ListController: NSFetchedResultsController<NSManagedObject>,
  NSFetchedResultsControllerDelegate
{
  var changeCount = 0

  init(_ context: NSManagedObjectContext) {
    super.init(fetchRequest: stamps(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    delegate = self
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    changeCount += 1
  }
}

extension NSFetchedResultsController {
  fileprivate convenience init(
    _ request: NSFetchRequest<ResultType>, _ context: NSManagedObjectContext,
    delegate: any NSFetchedResultsControllerDelegate
  ) {
    self.init(fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    self.delegate = delegate
  }
}

/// A library of importers has its own progress in such a class.
private final class ReportingManager: NSMigrationManager {
  var progress = Progress(totalUnitCount: 3)

  override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    super.init(sourceModel: sourceModel, destinationModel: destinationModel)
    userInfo = ["a": 1]
    usesStoreSpecificMigrationManager = false
  }
}

@Suite("Properties set in clients' initializers")
struct InitializerSurfaceTests {
  @Test(
    "A context that gets its coordinator and its settings there works",
    arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
  @MainActor func context(_ type: String) throws {
    let context = NSManagedObjectContext(coordinator: try coordinator(type))
    insertStamp(of: 1, into: context)
    try context.save()
    #expect(try context.count(for: stamps()) == 1)
    #expect(context.registeredObjects.count == 1, "The context holds its objects.")
    #expect(context.undoManager?.levelsOfUndo == 3)
  }

  @Test(
    "A child that gets its parent there reads from it and saves to it",
    arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
  @MainActor func child(_ type: String) throws {
    let parent = NSManagedObjectContext(coordinator: try coordinator(type))
    insertStamp(of: 1, into: parent)
    for child in [NSManagedObjectContext(childOf: parent), EditingContext(of: parent)] {
      try child.performAndWait {
        let stamp = try #require(try child.fetch(stamps()).first)
        stamp.setValue((stamp.value(forKey: "year") as? Int ?? 0) + 10, forKey: "year")
        try child.save()
      }
    }
    #expect(try parent.fetch(stamps()).map { $0.value(forKey: "year") as? Int } == [21])
  }

  @Test("An undo manager set there undoes")
  @MainActor func undo() throws {
    let context = EditingContext(of: NSManagedObjectContext(coordinator: try coordinator()))
    insertStamp(of: 1, into: context)
    context.processPendingChanges()
    context.undo()
    context.processPendingChanges()
    #expect(context.insertedObjects.isEmpty)
  }

  @Test("A merge policy that is none is reported there, too")
  func policy() async {
    await #expect(processExitsWith: .failure) { _ = NSManagedObjectContext(policy: "overwrite") }
  }

  @Test("An undo manager drops what is over its limit")
  func levels() {
    let manager = UndoManager(levels: 3)
    #expect(manager.undoCount == 3 && manager.undoActionName == "4")
  }

  @Test("A request has every setting")
  func request() throws {
    let entity = NSEntityDescription(named: "Stamp")
    let request = NSFetchRequest<NSFetchRequestResult>(everythingOf: entity)
    #expect(request.entityName == "Stamp" && request.predicate != nil && request.sortDescriptors?.count == 1)
    #expect(request.fetchLimit == 2 && request.fetchOffset == 1 && request.fetchBatchSize == 20)
    #expect(request.resultType == .dictionaryResultType && request.propertiesToFetch?.count == 1)
    #expect(request.propertiesToGroupBy?.count == 1 && request.havingPredicate != nil)
    #expect(!request.includesSubentities && !request.includesPropertyValues && !request.includesPendingChanges)
    #expect(!request.returnsObjectsAsFaults && request.returnsDistinctResults)
    #expect(request.relationshipKeyPathsForPrefetching == ["notes"] && request.shouldRefreshRefetchedObjects)
    let copy = try #require(request.copy() as? NSFetchRequest<NSFetchRequestResult>)
    #expect(copy.fetchLimit == 2 && copy.havingPredicate == request.havingPredicate)
  }

  @Test("A results controller tells the delegate that it got there")
  @MainActor func controller() throws {
    let context = NSManagedObjectContext(coordinator: try coordinator())
    let list = ListController(context)
    let other = NSFetchedResultsController(stamps(), context, delegate: list)
    try list.performFetch()
    try other.performFetch()
    insertStamp(of: 1, into: context)
    context.processPendingChanges()
    #expect(list.changeCount == 2)
  }

  @Test("Descriptions of a model, built in initializers, make a model")
  @MainActor func descriptions() throws {
    let coordinator = try coordinator()
    let context = NSManagedObjectContext(coordinator: coordinator)
    let stamp = NSEntityDescription.insertNewObject(forEntityName: "Stamp", into: context)
    #expect(stamp.value(forKey: "year") as? Int == 1840)
    try context.save()
    #expect(coordinator.managedObjectModel.versionIdentifiers == ["1"])
  }

  @Test("A migration manager's subclass may have a progress of its own")
  func manager() {
    let model = NSManagedObjectModel(oneEntity: NSEntityDescription(named: "Stamp"))
    let manager = ReportingManager(sourceModel: model, destinationModel: model)
    #expect(manager.progress.totalUnitCount == 3 && !manager.usesStoreSpecificMigrationManager)
  }

  @Test("Requests and descriptions of stores have every setting")
  func others() {
    let insert = NSBatchInsertRequest(inserting: "Stamp")
    #expect(insert.resultType == .count && insert.objectsToInsert?.count == 1)
    let update = NSBatchUpdateRequest(updating: "Stamp")
    #expect(update.resultType == .updatedObjectsCountResultType && update.propertiesToUpdate?.count == 1)
    let description = NSPersistentStoreDescription(readingAt: URL(fileURLWithPath: "/tmp/none"))
    #expect(description.isReadOnly && description.timeout == 3 && !description.shouldMigrateStoreAutomatically)
    #expect(description.options[NSReadOnlyPersistentStoreOption] as? Bool == true)
  }

  @Test("Models, their parts and requests may be subclasses with initializers of their own")
  func subclassesOfModels() throws {
    let model = ListModel()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let texts = try context.performAndWait {
      for text in ["b", "a"] {
        NSEntityDescription.insertNewObject(forEntityName: "Line", into: context).setValue(text, forKey: "text")
      }
      let request = LineRequest()
      request.entity = model.entitiesByName["Line"]
      return try context.fetch(request).map { $0.value(forKey: "text") as? String }
    }
    #expect(texts == ["a", "b"])
  }

  @Test("Static methods of contexts, coordinators and containers make an object of the class they are called on")
  func factories() throws {
    let coordinator = try coordinator()
    let context = NSManagedObjectContext.background(of: coordinator)
    #expect(
      context.concurrencyType == .privateQueueConcurrencyType && context.persistentStoreCoordinator === coordinator)
    let noted = NotedContext.background(of: coordinator)
    #expect(noted.note == "private" && noted.persistentStoreCoordinator === coordinator)
    #expect(type(of: NSPersistentStoreCoordinator.empty()) == NSPersistentStoreCoordinator.self)
    #expect(NSPersistentContainer.stamps().name == "Stamps")
    #expect(SubclassedContainer.stamps().note == "Stamps of 1" && NotedContainer.missing().note == "NoSuchModel of 0")
    let type: NSPersistentContainer.Type = NSPersistentCloudKitContainer.self
    #expect(type.stamps() is NSPersistentCloudKitContainer)
  }

  @Test("Static methods of models, entities and properties make one of the class they are called on")
  func modelFactories() throws {
    let text = TextAttribute.called("text")
    let pages = NSRelationshipDescription.called("pages")
    let note = NotedEntity.called("Note", text, pages)
    #expect(note.note == "noted" && text.name == "text" && !text.isOptional && !pages.isOptional)
    let page = NSEntityDescription.called("Page", NSAttributeDescription.text("words"))
    pages.destinationEntity = page
    #expect(page.attributesByName["words"]?.attributeType == .stringAttributeType)
    let model = NSManagedObjectModel.of(note, page)
    #expect(model.entities.count == 2 && type(of: model) == NSManagedObjectModel.self)
    #expect(ListModel.of(page.copy() as! NSEntityDescription).entitiesByName.keys.sorted() == ["Line", "Page"])
    #expect(NSCompositeAttributeDescription.called("place").attributeType == .compositeAttributeType)
    #expect(NSFetchedPropertyDescription.called("found").isTransient)
  }

  @Test("Notes on a model in use may change")
  func notes() throws {
    let entity = try #require(try coordinator().managedObjectModel.entitiesByName["Stamp"])
    entity.userInfo = ["b": 2]
    entity.attributesByName["year"]?.userInfo = ["c": 3]
    #expect(entity.userInfo?["b"] as? Int == 2 && entity.attributesByName["year"]?.userInfo?["c"] as? Int == 3)
  }

  @Test("A switch over the kinds of contexts has three cases, and the cloud's notification has its name")
  @available(*, deprecated, message: "It uses what is deprecated.")
  func oldNames() {
    let words = [NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType].map { type in
      switch type {
      case .confinementConcurrencyType: "thread"
      case .privateQueueConcurrencyType: "private queue"
      case .mainQueueConcurrencyType: "main queue"
      }
    }
    #expect(words == ["main queue"])
    let name = Notification.Name.NSPersistentStoreDidImportUbiquitousContentChanges
    #expect(name.rawValue.hasPrefix("com.apple.coredata.ubiquity"))
  }

  @Test("The entity of history's changes has the changed entity, too")
  func changeEntity() {
    #expect(NSPersistentHistoryChange.entityDescription?.propertiesByName["changedEntity"] != nil)
  }
}

/// A coordinator of a model with one entity, and a store in memory.
private func coordinator(_ type: String = NSInMemoryStoreType) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(
    managedObjectModel: NSManagedObjectModel(oneEntity: NSEntityDescription(named: "Stamp")))
  try coordinator.addPersistentStore(
    ofType: type, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
  return coordinator
}

private func insertStamp(of year: Int, into context: NSManagedObjectContext) {
  NSEntityDescription.insertNewObject(forEntityName: "Stamp", into: context).setValue(year, forKey: "year")
}

private func stamps() -> NSFetchRequest<NSManagedObject> {
  let request = NSFetchRequest<NSManagedObject>(entityName: "Stamp")
  request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
  return request
}

extension NSEntityDescription {
  fileprivate convenience init(named name: String) {
    self.init()
    self.name = name
    managedObjectClassName = "NSManagedObject"
    isAbstract = false
    userInfo = ["a": 1]
    versionHashModifier = "m"
    renamingIdentifier = "Old"
    let year = NSAttributeDescription(integer: "year")
    properties = [year]
    uniquenessConstraints = [["year"]]
    indexes = [NSFetchIndexDescription(name: "byYear", of: year)]
  }
}

extension NSAttributeDescription {
  fileprivate convenience init(integer name: String) {
    self.init()
    self.name = name
    attributeType = .integer32AttributeType
    defaultValue = 1840
    isOptional = false
    isTransient = false
    userInfo = [:]
    renamingIdentifier = "jahr"
    versionHashModifier = "n"
  }
}

extension NSFetchIndexDescription {
  fileprivate convenience init(name: String, of property: NSPropertyDescription) {
    self.init(name: "index", elements: [])
    self.name = name
    elements = [NSFetchIndexElementDescription(property: property, collationType: .binary)]
  }
}

extension NSManagedObjectModel {
  fileprivate convenience init(oneEntity entity: NSEntityDescription) {
    self.init()
    entities = [entity]
    versionIdentifiers = ["1"]
    localizationDictionary = [:]
  }
}

extension NSBatchInsertRequest {
  fileprivate convenience init(inserting entityName: String) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = [["year": 1]]
    resultType = .count
  }
}

extension NSBatchUpdateRequest {
  fileprivate convenience init(updating entityName: String) {
    self.init(entityName: entityName)
    propertiesToUpdate = ["year": 2]
    predicate = NSPredicate(value: true)
    includesSubentities = false
    resultType = .updatedObjectsCountResultType
  }
}

extension NSPersistentStoreDescription {
  fileprivate convenience init(readingAt url: URL) {
    self.init(url: url)
    type = NSSQLiteStoreType
    configuration = "Default"
    isReadOnly = true
    timeout = 3
    shouldAddStoreAsynchronously = false
    shouldMigrateStoreAutomatically = false
    shouldInferMappingModelAutomatically = false
  }
}
