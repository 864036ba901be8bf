/// A fetch whose results are kept up to date and divided into sections, for lists on a screen.
///
///     let request = NSFetchRequest<Book>(entityName: "Book")
///     request.sortDescriptors = [
///       NSSortDescriptor(key: "genre", ascending: true), NSSortDescriptor(key: "title", ascending: true),
///     ]
///     let controller = NSFetchedResultsController(
///       fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "genre", cacheName: nil)
///     try controller.performFetch()
///     print(controller.sections?.map(\.name) ?? [])  // ["novel", "stories"]
///     print(controller.object(at: IndexPath(item: 0, section: 0)).title)  // Solaris
///
/// If you set a delegate, the controller follows every event of its context and reports what changed. Without one its
/// list stays as it was fetched. While it follows, it evaluates the predicate in memory, only for objects that changed.
/// So a change of a related object affects the list only if the listed object changes as well, and a limit of the
/// request does not apply to objects that are added later. ``performFetch()`` corrects both. If a store can't be read,
/// a warning says so, and the objects concerned stay as they are, in the list or out of it, until the next event or
/// save.
///
/// A request for dictionaries, ids or a count can be listed too: such a list stays as it was fetched, and its sections
/// are made by a column of the dictionaries.
///
/// Use it on its context's queue. It keeps the context alive; the context does not keep it.
nonisolated open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The request. If you change it, the change has effect from the next ``performFetch()`` on.
  open var fetchRequest: NSFetchRequest<ResultType> { request }
  private final let request: NSFetchRequest<ResultType>
  /// The key path whose values make the sections; nil for a single section.
  open var sectionNameKeyPath: String? { sectionKeyPath }
  private final let sectionKeyPath: String?
  /// The name under which sections are kept on disk; nil for none.
  ///
  /// With cached sections a fetch needs no values to find the sections. With a `fetchBatchSize` it need not read the
  /// objects at all. The cache is valid as long as the store's file is unchanged. It is used if there is one SQLite
  /// store, whose log has no commits, if the context has no changes, and if the first sort key makes the sections and
  /// is a string, an integer or a flag. Otherwise each fetch computes the sections and caches nothing.
  ///
  /// If you change the entity, predicate, order or section key path, call ``deleteCache(withName:)`` before the next
  /// fetch; without it, that is a misuse. A cache that does not match the request because another controller of the
  /// name left it, or another version of the program, is replaced.
  open var cacheName: String? { nameOfCache }
  private final let nameOfCache: String?
  /// The request whose sections this controller keeps under the name; nil while it keeps none.
  private final var cachedDefinition: SectionCache.Definition?
  final let results: FetchedResults

  /// The request's `sortDescriptors` must be set. If they are empty, objects come in the store's order, and new ones at
  /// the end. With sections, the first one must keep the objects of a section together.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    if fetchRequest.sortDescriptors == nil { misuse(.listWithoutOrder(fetchRequest.entityName)) }
    request = fetchRequest
    sectionKeyPath = sectionNameKeyPath
    nameOfCache = name
    results = FetchedResults(context)
    super.init()
    joinClasses()
  }

  /// A controller of an empty request and a context of its own, which has no store: it lists nothing, and
  /// ``performFetch()`` throws an error. It is for subclasses that show lists of their own, and for calls of a
  /// delegate's methods.
  public override init() {
    request = NSFetchRequest()
    sectionKeyPath = nil
    nameOfCache = nil
    results = FetchedResults(NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType))
    super.init()
    joinClasses()
  }

  /// Lets `controller as? NSFetchedResultsController<NSFetchRequestResult>` succeed, as it does where type parameters
  /// are erased, and `as? NSFetchedResultsController<NSManagedObject>` for a list of objects of a class.
  private func joinClasses() {
    ClassMetadata(NSFetchedResultsController<ResultType>.self).standBelow(
      NSFetchedResultsController<any NSFetchRequestResult>.self,
      objects: ResultType.self is NSManagedObject.Type ? NSFetchedResultsController<NSManagedObject>.self : nil,
      superclass: NSObject.self)
  }

  /// The context to fetch in and to follow.
  open var managedObjectContext: NSManagedObjectContext { results.context }

  /// The delegate, which is called when the list changes. The controller does not keep it alive.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { storedDelegate }
    set {
      storedDelegate = newValue
      results.delegateChanged()
      followContext()
    }
  }
  // Swift runs no observer of a stored property in an initializer.
  private final weak var storedDelegate: (any NSFetchedResultsControllerDelegate)?

  /// Fetches the objects and makes the sections. Throws an error if the request is invalid, or if the order separates
  /// the objects of a section.
  open func performFetch() throws {
    let context = managedObjectContext
    context.guardQueue("NSFetchedResultsController.performFetch()")
    func refuse(_ what: String) -> NSError {
      Failure.malformedFetchRequest(entity: fetchRequest.entityName, what: what).nsError
    }
    if fetchRequest.sortDescriptors == nil {
      throw refuse("An instance of NSFetchedResultsController requires a fetch request with sort descriptors.")
    }
    let isOfObjects = fetchRequest.resultType == .managedObjectResultType
    if !isOfObjects, ResultType.self is NSManagedObject.Type {
      throw refuse(
        "The fetched results controller lists managed objects, but the request's resultType asks for something else.")
    }
    guard let layouts = context.layouts else {
      _ = try context.fetch(fetchRequest)
      return
    }
    let criteria = try ResultsCriteria(fetchRequest, sectionNameKeyPath: sectionNameKeyPath, layouts)
    guard isOfObjects else {
      let fetched = unsafeBitCast(try context.fetch(fetchRequest), to: [AnyObject].self)
      return results.replace(try FixedResults(fetched, criteria))
    }
    let cached = CachedSections(cacheName, of: cachedDefinition, criteria: criteria, context: context)
    // One word each, whatever the type of the results.
    let objects = unsafeBitCast(try context.fetch(fetchRequest), to: [NSManagedObject].self)
    followContext()
    if let cached, let sections = cached.sections(of: objects.count) {
      cachedDefinition = cached.definition
      results.replace(ResultsList(objects, sections), criteria: criteria, reporter: self)
    } else {
      results.replace(try ResultsList(objects, criteria), criteria: criteria, reporter: self)
    }
  }

  private func followContext() {
    guard delegate != nil else { return results.stopObserving() }
    results.observe { [weak self] notification in
      guard let self, delegate != nil else { return }
      results.follow(notification, self)
    }
  }

  /// All objects in order; nil before the first fetch.
  open var fetchedObjects: [ResultType]? {
    if let fixed = results.fixed { return unsafeBitCast(fixed.objects, to: [ResultType].self) }
    return results.objects.map { unsafeBitCast($0, to: [ResultType].self) }
  }

  /// The object at an index path, which must exist.
  @discardableResult
  open func object(at indexPath: IndexPath) -> ResultType {
    guard let object = results.object(at: indexPath) else { misuse(.noObject(at: indexPath, results.counts)) }
    return unsafeBitCast(object, to: ResultType.self)
  }

  /// The index path of an object; nil if it is not listed.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    results.indexPath(of: object)
  }

  /// The current sections; nil before the first fetch. A list without section names has one section.
  open var sections: [any NSFetchedResultsSectionInfo]? { results.sections { indexTitle(ofSection: $0) } }

  /// The index titles of the sections, in their order.
  open var sectionIndexTitles: [String] { sections?.map { $0.indexTitle ?? "" } ?? [] }

  /// The index title for a section name: by default its first letter, capitalised.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    sectionName.first.map { String($0).uppercased() } ?? ""
  }

  /// The section that an entry of the index leads to: the one at its index, or the first one with its title.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let titles = sections?.map { $0.indexTitle ?? "" } ?? []
    if titles.indices.contains(sectionIndex), titles[sectionIndex] == title { return sectionIndex }
    guard let first = titles.firstIndex(of: title) else { misuse(.noSection(titled: title, titles)) }
    return first
  }

  /// Removes the cached sections with a name; nil removes all caches of this program. Any thread.
  open class func deleteCache(withName name: String?) { SectionCache.remove(name) }

  final func indexTitle(ofSection name: String) -> String? {
    delegate.map { $0.controller(asAny, sectionIndexTitleForSectionName: name) }
      ?? sectionIndexTitle(forSectionName: name)
  }

  /// The controller as its delegate sees it. All results are references of one word.
  final var asAny: NSFetchedResultsController<any NSFetchRequestResult> {
    unsafeBitCast(self, to: NSFetchedResultsController<any NSFetchRequestResult>.self)
  }
}

extension NSFetchedResultsController: ResultsReporter {
  func willChange() { delegate?.controllerWillChangeContent(asAny) }

  func didChange() { delegate?.controllerDidChangeContent(asAny) }

  func tellDifference(_ report: ResultsReport) {
    delegate?.controller(asAny, didChangeContentWith: report.difference)
  }

  func tellSnapshot(_ snapshot: NSDiffableDataSourceSnapshotReference) {
    guard let delegate else {
      results.takesSnapshot = false
      return
    }
    delegate.controller(asAny, didChangeContentWith: snapshot)
  }

  func report(_ report: ResultsReport) {
    func tell(_ change: (index: Int, section: ResultsSection), _ type: NSFetchedResultsChangeType) {
      let info = FetchedSectionInfo(change.section, indexTitle: indexTitle(ofSection: change.section.name))
      delegate?.controller(asAny, didChange: info, atSectionIndex: change.index, for: type)
    }
    for change in report.removedSections { tell(change, .delete) }
    for change in report.insertedSections { tell(change, .insert) }
    for change in report.objects {
      delegate?.controller(
        asAny, didChange: change.object, at: change.old?.indexPath, for: change.type,
        newIndexPath: change.new?.indexPath)
    }
  }
}
