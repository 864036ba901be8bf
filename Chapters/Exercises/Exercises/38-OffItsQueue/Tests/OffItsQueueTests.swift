import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// A context for the main queue that notes what is done elsewhere.
private final class WatchedContext: NSManagedObjectContext, @unchecked Sendable {
  // `@unchecked Sendable`: the test waits for the program before it reads.
  private(set) var offQueue: [String] = []
  /// Whether the main queue leaves the context alone.
  var isInUse = false

  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  func note(_ deed: String) {
    if DispatchQueue.getSpecific(key: Self.mark) != true, !Thread.isMainThread { offQueue.append(deed) }
  }

  override func processPendingChanges() {
    if !isInUse { super.processPendingChanges() }
  }

  override func save() throws {
    note("saved")
    try super.save()
  }
}

/// Tells its context that it was made. Not private: a model names a class by its name, and private ones have none.
final class WatchedParcel: NSManagedObject {
  override func awakeFromInsert() {
    super.awakeFromInsert()
    (managedObjectContext as? WatchedContext)?.note("made an object")
  }
}

@Suite("38 Off its queue", .serialized)
@MainActor struct OffItsQueueTests {
  let bench: Bench
  private let context: WatchedContext

  init() throws {
    bench = try Bench()
    let sender = NSAttributeDescription()
    sender.name = "sender"
    sender.attributeType = .stringAttributeType
    sender.isOptional = false
    let parcel = NSEntityDescription()
    parcel.name = "Parcel"
    parcel.managedObjectClassName = NSStringFromClass(WatchedParcel.self)
    parcel.properties = [sender]
    let model = NSManagedObjectModel()
    model.entities = [parcel]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    context = WatchedContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  /// Runs the program. Meanwhile the main queue does not process the context's changes, as it does after each event: a
  /// program on another queue would meet it there, and a crash says less than a list.
  private func receive(_ senders: [String]) async throws {
    context.isInUse = true
    defer { context.isInUse = false }
    try await receiveParcels(from: senders, into: context)
  }

  @Test("Objects are made and saved on the context's queue")
  func onQueue() async throws {
    try await receive(["Ada", "Grace"])
    #expect(context.offQueue == [], "this was done off the main queue, to which the context belongs")
  }

  @Test("The parcels are saved when the function returns")
  func saved() async throws {
    try await receive(["Ada", "Grace"])
    #expect(!context.hasChanges)
    let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Parcel"))
    #expect(count == 2)
  }

  @Test("A failed save is thrown to the caller")
  func failed() async throws {
    _ = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
    let error = await #expect(throws: NSError.self, "a parcel without a sender can't be saved") {
      try await receive(["Ada"])
    }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
  }
}
