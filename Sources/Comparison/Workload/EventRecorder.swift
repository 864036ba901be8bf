import CoreData

/// Records what happens on which queue while a set-up works, by observing it from outside.
///
/// Any thread may call it.
final class EventRecorder: @unchecked Sendable {
  // `@unchecked Sendable`: everything that changes is used under `lock`.

  let clock: Clock
  private let lock = NSLock()
  private var events: [TimelineEvent] = []
  private var savesBegun: [ObjectIdentifier: Double] = [:]
  private var savesOnMain = 0
  private var saves = 0
  private var opensOnMain = true
  private var observers: [any NSObjectProtocol] = []
  /// The marks of all contexts that were seen. Only the marks are kept, because some set-ups make a new context for
  /// each write.
  private var seen: [Mark] = []

  /// What a context was seen to do.
  private final class Mark {
    let isMain: Bool
    var writes = false
    var reads = false
    var saves = false

    init(isMain: Bool) { self.isMain = isMain }
  }

  init(clock: Clock) {
    self.clock = clock
    observe(.NSManagedObjectContextWillSave) { recorder, context in recorder.willSave(context) }
    observe(.NSManagedObjectContextDidSave) { recorder, context in recorder.didSave(context) }
    observers.append(
      NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreCoordinatorStoresDidChange, object: nil, queue: nil
      ) { [weak self] _ in self?.storesDidChange() })
  }

  private func observe(_ name: Notification.Name, _ handle: @escaping (EventRecorder, NSManagedObjectContext) -> Void) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
        guard let self, let context = note.object as? NSManagedObjectContext else { return }
        handle(self, context)
      })
  }

  func stop() {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
  }

  private func storesDidChange() {
    let isMain = Thread.isMainThread
    lock.withLock { opensOnMain = isMain }
  }

  // MARK: Recording

  /// The program has waited for the store since `start`. The store's notification told on which queue it was opened.
  func opened(since start: Double) {
    let end = clock.milliseconds
    lock.withLock {
      events.append(TimelineEvent(queue: opensOnMain ? "main" : "background", kind: .opening, start: start, end: end))
    }
  }

  /// Runs `body`, and records how long it took and on which queue.
  func record<Value>(_ kind: TimelineEvent.Kind, _ detail: String? = nil, _ body: () throws -> Value) rethrows -> Value
  {
    let start = clock.milliseconds
    defer { add(kind, from: start, to: clock.milliseconds, detail: detail) }
    return try body()
  }

  func add(_ kind: TimelineEvent.Kind, from start: Double, to end: Double, detail: String? = nil) {
    let queue = Thread.isMainThread ? "main" : "background"
    lock.withLock {
      events.append(TimelineEvent(queue: queue, kind: kind, start: start, end: end, detail: detail))
    }
  }

  /// A writing block received this context.
  func wrote(in context: NSManagedObjectContext) { mark(context) { $0.writes = true } }

  /// The user sees objects of this context.
  func read(in context: NSManagedObjectContext) { mark(context) { $0.reads = true } }

  private func willSave(_ context: NSManagedObjectContext) {
    mark(context) { $0.saves = true }
    let now = clock.milliseconds
    lock.withLock { savesBegun[ObjectIdentifier(context)] = now }
  }

  private func didSave(_ context: NSManagedObjectContext) {
    let now = clock.milliseconds
    let start = lock.withLock {
      saves += 1
      if Thread.isMainThread { savesOnMain += 1 }
      return savesBegun.removeValue(forKey: ObjectIdentifier(context))
    }
    if let start { add(.saving, from: start, to: now) }
  }

  private func mark(_ context: NSManagedObjectContext, _ note: (Mark) -> Void) {
    lock.withLock {
      let key = "comparison.mark"
      if let mark = context.userInfo[key] as? Mark { return note(mark) }
      let mark = Mark(isMain: context.concurrencyType == .mainQueueConcurrencyType)
      context.userInfo[key] = mark
      seen.append(mark)
      note(mark)
    }
  }

  // MARK: Results

  /// The events, ordered by their start.
  var timeline: [TimelineEvent] { lock.withLock { events }.sorted { $0.start < $1.start } }

  var saveCount: Int { lock.withLock { saves } }
  var mainSaveCount: Int { lock.withLock { savesOnMain } }

  /// The contexts that were seen. Those with the same role and queue are counted together.
  var contexts: [ContextFact] {
    var counts: [String: ContextFact] = [:]
    var order: [String] = []
    for mark in lock.withLock({ seen }) {
      let role =
        switch (mark.reads, mark.writes) {
        case (true, true): "reads and writes"
        case (true, false): "reads"
        case (false, true): "writes"
        case (false, false): "passes saves on"
        }
      let fact = ContextFact(role: role, queue: mark.isMain ? "main queue" : "private queue", count: 0)
      let key = fact.role + fact.queue
      if counts[key] == nil { order.append(key) }
      counts[key, default: fact].count += 1
    }
    return order.compactMap { counts[$0] }
  }
}
