import CoreData

/// What the subclasses below were asked, in order.
final class Calls: @unchecked Sendable {
  // `@unchecked Sendable`: the names are touched under `lock` only.
  private let lock = NSLock()
  private var names: [String] = []

  func note(_ name: String = #function) { lock.withLock { names.append(name) } }
  var all: Set<String> { lock.withLock { Set(names) } }
}

/// Overrides whatever applications override in a context, in the spellings of Apple's current SDK.
final class SpyContext: NSManagedObjectContext, @unchecked Sendable {
  let calls = Calls()

  override var parent: NSManagedObjectContext? { didSet { calls.note() } }
  override var hasChanges: Bool {
    calls.note()
    return super.hasChanges
  }
  override var insertedObjects: Set<NSManagedObject> {
    calls.note()
    return super.insertedObjects
  }
  override var updatedObjects: Set<NSManagedObject> {
    calls.note()
    return super.updatedObjects
  }
  override var deletedObjects: Set<NSManagedObject> {
    calls.note()
    return super.deletedObjects
  }
  override var registeredObjects: Set<NSManagedObject> {
    calls.note()
    return super.registeredObjects
  }
  override func perform(_ block: @escaping @Sendable () -> Void) {
    calls.note()
    super.perform(block)
  }
  override func performAndWait(_ block: @Sendable () -> Void) {
    calls.note()
    super.performAndWait(block)
  }
  override func save() throws {
    calls.note()
    try super.save()
  }
  override func insert(_ object: NSManagedObject) {
    calls.note()
    super.insert(object)
  }
  override func delete(_ object: NSManagedObject) {
    calls.note()
    super.delete(object)
  }
  override func rollback() {
    calls.note()
    super.rollback()
  }
  override func reset() {
    calls.note()
    super.reset()
  }
  override func processPendingChanges() {
    calls.note()
    super.processPendingChanges()
  }
  override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    calls.note()
    return super.object(with: objectID)
  }
  override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    calls.note()
    return super.registeredObject(for: objectID)
  }
  override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    calls.note()
    return try super.existingObject(with: objectID)
  }
  override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    calls.note()
    try super.obtainPermanentIDs(for: objects)
  }
  override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    calls.note()
    super.refresh(object, mergeChanges: flag)
  }
  override func refreshAllObjects() {
    calls.note()
    super.refreshAllObjects()
  }
  override func mergeChanges(fromContextDidSave notification: Notification) {
    calls.note()
    super.mergeChanges(fromContextDidSave: notification)
  }
  override func assign(_ object: Any, to store: NSPersistentStore) {
    calls.note()
    super.assign(object, to: store)
  }
  override func detectConflicts(for object: NSManagedObject) {
    calls.note()
    super.detectConflicts(for: object)
  }
  override func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    calls.note()
    return super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
  }
}

/// Results that a program's tests make up.
final class MadeUpDelete: NSBatchDeleteResult {
  override var result: Any? { ["deleted"] }
}

final class MadeUpInsert: NSBatchInsertResult {
  override var result: Any? { ["inserted"] }
}

final class MadeUpUpdate: NSBatchUpdateResult {
  override var result: Any? { ["updated"] }
}

final class MadeUpTransaction: NSPersistentHistoryTransaction, @unchecked Sendable {
  override var author: String? { "nobody" }
}

final class MadeUpChange: NSPersistentHistoryChange, @unchecked Sendable {
  override var changeType: NSPersistentHistoryChangeType { .delete }
}

final class MadeUpHistory: NSPersistentHistoryResult {
  override var result: Any? { [MadeUpTransaction()] }
}

/// Answers requests without a store.
final class AnsweringContext: NSManagedObjectContext, @unchecked Sendable {
  override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    switch request {
    case is NSBatchDeleteRequest: MadeUpDelete()
    case is NSBatchInsertRequest: MadeUpInsert()
    case is NSBatchUpdateRequest: MadeUpUpdate()
    case is NSPersistentHistoryChangeRequest: MadeUpHistory()
    default: NSPersistentStoreResult()
    }
  }
}

/// Answers fetches with objects of its own or with an error, else as any context does.
final class FetchlessContext: NSManagedObjectContext, @unchecked Sendable {
  let calls = Calls()
  var answer: [Any]?
  var error: (any Error)?

  override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
    calls.note(request.entityName ?? "")
    if let error { throw error }
    return try answer ?? super.fetch(request)
  }
}

/// A list that is put together from others.
final class JoinedList: NSFetchedResultsController<SpyVolume> {
  override var fetchRequest: NSFetchRequest<SpyVolume> { NSFetchRequest(entityName: "Joined") }
  override var managedObjectContext: NSManagedObjectContext { AnsweringContext(.privateQueue) }
  override var sectionNameKeyPath: String? { "joined" }
  override var cacheName: String? { nil }
}

/// The older spellings of the same methods: blocks that are not sendable.
final class OldSpyContext: NSManagedObjectContext, @unchecked Sendable {
  let calls = Calls()

  override func perform(_ block: @escaping () -> Void) {
    calls.note()
    block()
  }
  override func performAndWait(_ block: () -> Void) {
    calls.note()
    block()
  }
}

class SpyContainer: NSPersistentContainer, @unchecked Sendable {
  let calls = Calls()

  override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
  override var viewContext: NSManagedObjectContext {
    calls.note()
    return super.viewContext
  }
  override var persistentStoreCoordinator: NSPersistentStoreCoordinator {
    calls.note()
    return super.persistentStoreCoordinator
  }
  override var name: String { "spied on: " + super.name }
  override var managedObjectModel: NSManagedObjectModel {
    calls.note()
    return super.managedObjectModel
  }
  override func newBackgroundContext() -> NSManagedObjectContext {
    calls.note()
    return super.newBackgroundContext()
  }
  override func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    calls.note()
    super.performBackgroundTask(block)
  }
  override func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    calls.note()
    super.loadPersistentStores(completionHandler: block)
  }
}

class SpyCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
  let calls = Calls()

  override func perform(_ block: @escaping @Sendable () -> Void) {
    calls.note()
    super.perform(block)
  }
  override func performAndWait(_ block: @Sendable () -> Void) {
    calls.note()
    super.performAndWait(block)
  }
  override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    calls.note()
    return super.managedObjectID(forURIRepresentation: url)
  }
  override var managedObjectModel: NSManagedObjectModel {
    calls.note()
    return super.managedObjectModel
  }
  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
    calls.note()
    return try super.execute(request, with: context)
  }
}

/// Neither a policy nor a transformer is sendable, so a subclass may have variables without a word about it.
class CountingPolicy: NSMergePolicy {
  var asked = 0

  override func resolve(mergeConflicts list: [Any]) throws {
    asked += 1
    try super.resolve(mergeConflicts: list)
  }
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    asked += 1
    try super.resolve(optimisticLockingConflicts: list)
  }
  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    asked += 1
    try super.resolve(constraintConflicts: list)
  }
}

class CountingTransformer: ValueTransformer {
  var asked = 0

  override class func transformedValueClass() -> AnyClass { NSString.self }
  override class func allowsReverseTransformation() -> Bool { false }
  override func transformedValue(_ value: Any?) -> Any? {
    asked += 1
    return value
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

/// An object that overrides its life cycle, and names its entity by itself.
final class SpyVolume: NSManagedObject {
  nonisolated(unsafe) static var calls = Calls()
  nonisolated(unsafe) static var description: NSEntityDescription!

  override class func entity() -> NSEntityDescription { description }
  override var managedObjectContext: NSManagedObjectContext? {
    Self.calls.note()
    return super.managedObjectContext
  }
  override func awakeFromInsert() {
    super.awakeFromInsert()
    Self.calls.note()
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    Self.calls.note()
  }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    Self.calls.note()
  }
  override func prepareForDeletion() {
    super.prepareForDeletion()
    Self.calls.note()
  }
  override func willSave() {
    super.willSave()
    Self.calls.note()
  }
  override func didSave() {
    super.didSave()
    Self.calls.note()
  }
  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    Self.calls.note()
  }
  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    Self.calls.note()
  }
  override func validateForInsert() throws {
    try super.validateForInsert()
    Self.calls.note()
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    Self.calls.note()
  }
  override func validateForDelete() throws {
    try super.validateForDelete()
    Self.calls.note()
  }
  override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
    try super.validateValue(value, forKey: key)
  }
  override func value(forKey key: String) -> Any? { super.value(forKey: key) }
  override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
  override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
  override func setValue(_ value: Any?, forUndefinedKey key: String) { Self.calls.note() }
  override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
  override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
  override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
  override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
  override var isUpdated: Bool { super.isUpdated }
}

/// A request of a kind of its own, and a description of a store with a default of its own.
final class NewestFirst<Result: NSFetchRequestResult>: NSFetchRequest<Result> {
  override var fetchLimit: Int {
    get { 1 }
    set {}
  }
}

class MemoryDescription: NSPersistentStoreDescription {
  override var type: String {
    get { NSInMemoryStoreType }
    set {}
  }
}
