import Foundation

/// What a container tells of its synchronization. Without CloudKit nothing is synchronized, so no event is ever made,
/// and the notification is never posted; a program that listens for them compiles.
extension NSPersistentCloudKitContainer {
  /// Would be posted when an event begins or ends.
  public class var eventChangedNotification: Notification.Name {
    Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
  }

  /// The key of the ``Event`` in that notification.
  public class var eventNotificationUserInfoKey: String { "event" }

  /// What an event is about.
  public enum EventType: Int, Sendable {
    /// Preparing a store.
    case setup = 0
    /// Taking over what others have written.
    case `import` = 1
    /// Sending what was saved.
    case export = 2
  }

  /// Something that a synchronization did, or began to do.
  public final class Event: NSObject {
    /// The event's own identifier.
    public let identifier: UUID
    /// The store's identifier.
    public let storeIdentifier: String
    /// What it is about.
    public let type: EventType
    /// When it began.
    public let startDate: Date
    /// When it ended; nil before.
    public let endDate: Date?
    /// Whether it ended without an error.
    public let succeeded: Bool
    /// Why it failed.
    public let error: (any Error)?

    @available(*, unavailable, message: "Only a synchronization makes events, and Linux has no CloudKit.")
    override init() { fatalError("No event is ever made.") }
  }
}

/// A request for the events of a synchronization. A context refuses it by name.
public final class NSPersistentCloudKitContainerEventRequest: NSPersistentStoreRequest {
  /// What the result has.
  public var resultType = NSPersistentCloudKitContainerEventResult.ResultType.events

  /// The events that began after a date.
  public class func fetchEvents(after date: Date) -> NSPersistentCloudKitContainerEventRequest { .init() }

  /// The events after another; all if it is nil.
  public class func fetchEvents(
    after event: NSPersistentCloudKitContainer.Event?
  ) -> NSPersistentCloudKitContainerEventRequest { .init() }

  /// The events that a fetch finds; begin with ``fetchForEvents()``.
  public class func fetchEvents(
    matchingFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSPersistentCloudKitContainerEventRequest { .init() }

  /// A fetch to which you add a predicate or an order, for ``fetchEvents(matchingFetch:)``. It has no entity.
  public class func fetchForEvents() -> NSFetchRequest<any NSFetchRequestResult> { NSFetchRequest() }

  /// A fetch.
  public override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A request of the same kind for the same stores.
  public override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentCloudKitContainerEventRequest()
    copy.affectedStores = affectedStores
    copy.resultType = resultType
    return copy
  }

  private override init() { super.init() }

  override func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? {
    throw Failure.unsupportedFeature("Fetching the events of a synchronization with CloudKit").nsError
  }
}

/// The result of an ``NSPersistentCloudKitContainerEventRequest``. None is ever made.
public final class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult {
  /// The kinds of results.
  public enum ResultType: Int, Sendable {
    /// The events.
    case events = 0
    /// How many there are.
    case countEvents = 1
  }

  /// The events, or their number.
  public let result: Any?
  /// What ``result`` is.
  public let resultType: ResultType

  @available(*, unavailable, message: "Only a synchronization has events, and Linux has no CloudKit.")
  override init() { fatalError("No result is ever made.") }
}
