/// The list of a fetched results controller, and how it follows the context. One class for all types of results.
///
/// Used on the context's queue. It keeps the context alive, but not the other way round: its observer ends with it.
final class FetchedResults: ChangeFollower {
  let context: NSManagedObjectContext
  /// nil before the first fetch.
  private(set) var criteria: ResultsCriteria?
  private(set) var list: ResultsList?
  /// The results of the last fetch if it was for something else than objects; there is no list then.
  private(set) var fixed: FixedResults?
  /// Whether the delegate has a `controller(_:didChangeContentWith:)`, for snapshots and for differences; nil
  /// until it was tried.
  var takesSnapshot: Bool?
  var takesDifference: Bool?
  /// Grows with each delegate.
  private var delegateNumber = 0
  /// New objects that the delegate knows by a temporary id, with this id. It is told again when they are saved.
  private var temporary: [ObjectIdentifier: (object: NSManagedObject, id: NSManagedObjectID)] = [:]
  /// Changed objects that wait for the next event or save, because a store could not be read. Until then they are as
  /// they were, in the list or out of it.
  private var unread: [NSManagedObject] = []

  private var observers: [any NSObjectProtocol] = []
  /// True after a reset of the context: the list's objects can't be used any more, and changes are ignored.
  private var isForgotten = false
  // Events that the delegate causes while one is being reported wait until that is done.
  private var events: [ResultsEvent] = []
  private var isReporting = false
  // Made on demand, dropped with every change.
  private var allObjects: [NSManagedObject]?
  private var sectionInfos: [any NSFetchedResultsSectionInfo]?

  init(_ context: NSManagedObjectContext) { self.context = context }

  deinit { stopObserving() }

  /// Takes the fetched objects, and reports them to a delegate that takes snapshots.
  func replace(_ list: ResultsList, criteria: ResultsCriteria, reporter: some ResultsReporter) {
    if self.criteria == nil { context.addFollower(self) }
    self.criteria = criteria
    isForgotten = false
    set(list)
    temporary = [:]
    unread = []
    if !tellSnapshot(nil, reporter), takesDifference == false { return }
    for object in context.ledger.newObjects where self.list?.contains(object) == true { noteTemporary(object) }
  }

  func delegateChanged() {
    delegateNumber += 1
    takesSnapshot = nil
    takesDifference = nil
    temporary = [:]
  }

  /// Takes results that are no objects.
  func replace(_ fixed: FixedResults) {
    set(nil)
    self.fixed = fixed
    temporary = [:]
    unread = []
  }

  private func set(_ list: ResultsList?) {
    self.list = list
    fixed = nil
    allObjects = nil
    sectionInfos = nil
  }

  var objects: [NSManagedObject]? {
    if allObjects == nil { allObjects = list?.objects }
    return allObjects
  }

  func sections(_ indexTitle: (String) -> String?) -> [any NSFetchedResultsSectionInfo]? {
    if sectionInfos == nil, let fixed {
      sectionInfos = fixed.sections.map {
        FixedSectionInfo($0.name, fixed.objects[$0.items], indexTitle: indexTitle($0.name))
      }
    }
    if sectionInfos == nil {
      sectionInfos = list?.sections.map { FetchedSectionInfo($0, indexTitle: indexTitle($0.name)) }
    }
    return sectionInfos
  }

  func object(at indexPath: IndexPath) -> AnyObject? {
    guard indexPath.count == 2 else { return nil }
    if let fixed { return fixed.object(at: indexPath) }
    guard let list, list.sections.indices.contains(indexPath.section),
      list.sections[indexPath.section].objects.indices.contains(indexPath.item)
    else { return nil }
    return list.sections[indexPath.section].objects[indexPath.item]
  }

  func indexPath(of object: AnyObject) -> IndexPath? {
    fixed.map { $0.indexPath(of: object) } ?? place(of: object)?.indexPath
  }

  func place(of object: AnyObject) -> ResultsPlace? {
    list?.place(of: object)
  }

  /// How many objects each section has; nil before the first fetch.
  var counts: [Int]? { list?.sections.map(\.objects.count) ?? fixed?.sections.map(\.items.count) }

  func observe(_ body: @escaping @Sendable (Notification) -> Void) {
    if !observers.isEmpty { return }
    observers = [.NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave].map {
      NotificationCenter.default.addObserver(forName: $0, object: context, queue: nil, using: body)
    }
  }

  /// Without a delegate the list does not follow the context.
  func mayTake(_ layout: EntityLayout, of store: StoreIdentity?) -> Bool {
    guard !observers.isEmpty, !isForgotten, let criteria, criteria.description.entities.contains(layout.index) else {
      return false
    }
    // By its UUID, as the id of a merged object may come from another coordinator.
    return store.map { store in criteria.stores?.contains { $0.identity.uuid == store.uuid } ?? true } ?? true
  }

  func stopObserving() {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
  }

  /// Applies an event to the list and reports it, if the list is concerned. A save is no event of its own: it gives new
  /// objects their permanent ids, and what could not be read another chance.
  func follow(_ notification: Notification, _ reporter: some ResultsReporter) {
    if list == nil || isForgotten { return }
    let isSave = notification.name == .NSManagedObjectContextDidSave
    if isSave, temporary.isEmpty, unread.isEmpty, !isReporting { return }
    events.append(ResultsEvent(notification))
    if isReporting { return }
    isReporting = true
    defer { isReporting = false }
    while !events.isEmpty {
      var event = events.removeFirst()
      // What later events name as gone may have no values by now, which the list is ordered by.
      event.addGone(events.flatMap(\.gone))
      if event.isReset { forget() }
      if isForgotten { continue }
      if event.isSave {
        tellPermanentIDs(reporter)
        if unread.isEmpty { continue }
      }
      do {
        try process(event, reporter)
      } catch {
        misuse(.listCannotFollow(error, criteria?.description.layout.name ?? ""))
      }
    }
  }

  private func forget() {
    isForgotten = true
    unread = []
  }

  private func process(_ event: ResultsEvent, _ reporter: some ResultsReporter) throws {
    guard let criteria, let list else { return }
    try criteria.takeUpIDs(of: context)
    var event = event
    event.add(unread.filter { $0.managedObjectContext === context })
    unread = []
    readRows(&event, in: list, criteria)
    let found = try found(criteria, &event)
    let edit = try ResultsEdit(event, in: list, criteria, found: found)
    if edit.isEmpty { return }
    let triesSnapshot = takesSnapshot != false
    let triesDifference = !list.hasSectionNames && takesDifference != false
    guard triesSnapshot || triesDifference else {
      temporary = [:]
      reporter.willChange()
      // The delegate may have fetched again.
      guard self.criteria === criteria else { return reporter.didChange() }
      reporter.report(try apply(edit, criteria))
      reporter.didChange()
      return
    }
    // Calling the delegate shows what it takes. Snapshots and differences are reported after the change, single calls
    // begin before it.
    let isKnown = takesSnapshot == true || takesSnapshot == false && takesDifference == true
    let former = isKnown ? nil : list.copy()
    let report = try apply(edit, criteria)
    if triesSnapshot && tellSnapshot(report, reporter) || triesDifference && tellDifference(report, reporter) {
      for change in report.objects {
        if change.type == .delete { temporary[ObjectIdentifier(change.object)] = nil }
        if change.type == .insert { noteTemporary(change.object) }
      }
      return
    }
    guard let former, self.criteria === criteria else { return }
    set(former)
    reporter.willChange()
    guard self.criteria === criteria else { return reporter.didChange() }
    set(list)
    reporter.report(report)
    reporter.didChange()
  }

  /// Reports the list to the delegate; false if it does not take snapshots.
  private func tellSnapshot(_ report: ResultsReport?, _ reporter: some ResultsReporter) -> Bool {
    guard takesSnapshot != false, let list else { return false }
    let number = delegateNumber
    let snapshot =
      takesSnapshot == true ? list.snapshot(reloading: report) : list.latentSnapshot(reloading: report)
    reporter.tellSnapshot(snapshot)
    if number != delegateNumber { return true }
    if takesSnapshot == nil {
      takesSnapshot = true
      snapshot.makeNow()
    }
    return takesSnapshot == true
  }

  private func tellDifference(_ report: ResultsReport, _ reporter: some ResultsReporter) -> Bool {
    let number = delegateNumber
    reporter.tellDifference(report)
    if number != delegateNumber { return true }
    if takesDifference == nil { takesDifference = true }
    return takesDifference == true
  }

  private func noteTemporary(_ object: NSManagedObject) {
    let id = object.objectID
    if id.isTemporaryID { temporary[ObjectIdentifier(object)] = (object, id) }
  }

  /// After a save, tells a delegate that takes ids the permanent ones.
  private func tellPermanentIDs(_ reporter: some ResultsReporter) {
    guard let list else { return }
    let saved = temporary.filter { !$0.value.object.objectID.isTemporaryID }
    for key in saved.keys { temporary[key] = nil }
    let renamed = saved.values.compactMap { object, id in list.place(of: object).map { (object, id, $0) } }
    if renamed.isEmpty { return }
    if takesSnapshot == true {
      _ = tellSnapshot(nil, reporter)
    } else if takesDifference == true {
      var report = ResultsReport()
      report.renamed = renamed
      _ = tellDifference(report, reporter)
    }
  }

  private func apply(_ edit: ResultsEdit, _ criteria: ResultsCriteria) throws -> ResultsReport {
    // Otherwise the sections' arrays would be copied.
    allObjects = nil
    sectionInfos = nil
    return try list!.apply(edit, criteria)
  }

  /// All objects that belong in the list now, if its predicate looks at other rows too: then an event may bring in
  /// objects, or take them out, that it does not name. nil for all other predicates, and if a store can't be read.
  private func found(_ criteria: ResultsCriteria, _ event: inout ResultsEvent) throws -> Set<NSManagedObject>? {
    guard criteria.description.hasFetches, unread.isEmpty else { return nil }
    do {
      let everything = try context.answeringFetches(criteria.description.uncut, pendingChanges: true)
      return Set(try context.objects(everything, FetchOptions(stores: criteria.stores)))
    } catch let error where !error.isAboutRequest {
      postpone(event.changed, in: &event, error)
      return nil
    }
  }

  /// Reads the rows of all refreshed faults at once; those whose rows are gone have left the list.
  private func readRows(_ event: inout ResultsEvent, in list: ResultsList, _ criteria: ResultsCriteria) {
    let faults = event.changed.filter {
      // A new object that is a fault has its default values.
      $0.state.intersection([.fault, .inserted]) == .fault && criteria.concerns($0)
    }
    if faults.isEmpty { return }
    do {
      try context.readRows(of: faults)
    } catch {
      let missing = faults.filter { $0.row == nil }
      // With an unread object in the list, others can't be compared. What a fetch finds is read as well.
      let isWhole = criteria.description.hasFetches || missing.contains { list.contains($0) }
      return postpone(isWhole ? event.changed : missing, in: &event, error)
    }
    if context.parent != nil { return }
    event.addGone(faults.filter { $0.row == nil })
  }

  private func postpone(_ objects: [NSManagedObject], in event: inout ResultsEvent, _ error: any Error) {
    unread = objects
    event.leaveOut(objects)
    warn(.listWaits(error, criteria?.description.layout.name ?? ""))
  }
}

extension Error {
  /// Whether it says that a request can't be answered at all, and not that a store can't be read now.
  fileprivate var isAboutRequest: Bool {
    let error = publicError
    return error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError
  }
}

/// Reports what happened. The controller does so, since it knows the delegate.
protocol ResultsReporter {
  func willChange()
  func report(_ report: ResultsReport)
  func tellDifference(_ report: ResultsReport)
  func tellSnapshot(_ snapshot: NSDiffableDataSourceSnapshotReference)
  func didChange()
}
