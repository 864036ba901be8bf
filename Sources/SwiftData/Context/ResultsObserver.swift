import CoreData

/// The models that a fetch finds, kept up with what becomes of them in a context.
///
///     let books = try ResultsObserver<Book, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
///     withObservationTracking { print(books.results.count) } onChange: { … }
///
/// Changes are taken up when the context processes them: at a save, at ``ModelContext/processPendingChanges()``, and in
/// the main context when the main queue next has time, as are those that others saved. A change of a model counts; that
/// of another one, to which the predicate follows a relationship, does not.
///
/// To be used where its context is.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The models of one title.
  public struct Section: Identifiable {
    /// What the models have at the section's key path.
    public let title: SectionTitle
    /// The models, in the observer's order.
    public let elements: [Element]
    /// The title.
    public var id: SectionTitle { title }
  }

  /// What is asked for.
  public let fetchDescriptor: FetchDescriptor<Element>
  /// What makes the sections; nil without any.
  public let sectionBy: KeyPath<Element, SectionTitle>?
  /// The context whose models they are.
  public let modelContext: ModelContext
  private var found: [Element] = []
  private var grouped: [Section] = []
  private let request: NSFetchRequest<NSManagedObject>
  private let registrar = ObservationRegistrar()
  private var observation: (any NSObjectProtocol)?

  /// The models of a class that a predicate is true of, in an order.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [], modelContext: ModelContext
  ) throws where SectionTitle == Never {
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), nil, modelContext)
  }

  /// The models that a descriptor asks for.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContext: ModelContext
  ) throws where SectionTitle == Never {
    try self.init(fetchDescriptor, nil, modelContext)
  }

  /// The models of a class that a predicate is true of, in sections. These are ordered by their titles, and the models
  /// of each as `sortBy` says.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext
  ) throws {
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), sectionBy, modelContext)
  }

  /// The models that a descriptor asks for, in sections. These are ordered by their titles.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext
  ) throws {
    try self.init(fetchDescriptor, sectionBy, modelContext)
  }

  /// The models of a class that a predicate is true of, in an order, in a context of the container's.
  ///
  /// - Parameter isolation: whose context: the main actor's is the container's main context, a model actor's its own.
  ///   Without one, or with another actor, it is a new context, which belongs to whoever uses the observer.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Never {
    let context = modelContainer.context(of: isolation)
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), nil, context)
  }

  /// The models that a descriptor asks for, in a context of the container's.
  ///
  /// - Parameter isolation: whose context, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Never {
    let context = modelContainer.context(of: isolation)
    try self.init(fetchDescriptor, nil, context)
  }

  /// The models of a class that a predicate is true of, in sections, in a context of the container's.
  ///
  /// - Parameter isolation: whose context, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(of: isolation)
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), sectionBy, context)
  }

  /// The models that a descriptor asks for, in sections, in a context of the container's.
  ///
  /// - Parameter isolation: whose context, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(of: isolation)
    try self.init(fetchDescriptor, sectionBy, context)
  }

  private init(
    _ descriptor: FetchDescriptor<Element>, _ sectionBy: KeyPath<Element, SectionTitle>?, _ context: ModelContext
  ) throws {
    fetchDescriptor = descriptor
    self.sectionBy = sectionBy
    modelContext = context
    request = try context.request(descriptor)
    if let sectionBy {
      guard let names = try? ModelKeyPaths.names(of: sectionBy), !names.isEmpty else {
        throw SwiftDataError.unsupportedKeyPath
      }
      let titles = NSSortDescriptor(key: names.joined(separator: "."), ascending: true)
      request.sortDescriptors = [titles] + (request.sortDescriptors ?? [])
    }
    (found, grouped) = try fetched()
    nonisolated(unsafe) weak let observer = self
    observation = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context.managedContext, queue: nil
    ) { notification in observer?.takeUp(notification) }
  }

  deinit { if let observation { NotificationCenter.default.removeObserver(observation) } }

  /// What is true of the models.
  public var filterBy: Predicate<Element>? { fetchDescriptor.predicate }
  /// Their order, behind that of the sections.
  public var sortBy: [SortDescriptor<Element>] { fetchDescriptor.sortBy }

  /// The models.
  public var results: [Element] {
    registrar.access(self, keyPath: \.results)
    return found
  }

  /// The models by their titles; nil without a key path for them.
  public var sections: [Section]? {
    registrar.access(self, keyPath: \.results)
    return sectionBy == nil ? nil : grouped
  }

  /// The model at a place: the section's number, and the model's in it. Without sections the first is 0.
  public func element(at indexPath: IndexPath) -> Element {
    precondition(indexPath.count == 2, "The place of a result has two numbers: its section's, and its own.")
    guard let sections else { return results[indexPath[1]] }
    return sections[indexPath[0]].elements[indexPath[1]]
  }

  /// The place of a model; nil if it is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    for (number, elements) in (sections?.map(\.elements) ?? [results]).enumerated() {
      if let place = elements.firstIndex(where: { $0 === element }) { return [number, place] }
    }
    return nil
  }

  private func fetched() throws -> ([Element], [Section]) {
    let models = try modelContext.managedContext.fetch(request).map { modelContext.model(of: $0, Element.self) }
    guard let sectionBy else { return (models, []) }
    var sections: [(title: SectionTitle, elements: [Element])] = []
    for model in models {
      let title = model[keyPath: sectionBy]
      if sections.last?.title == title {
        sections[sections.count - 1].elements.append(model)
      } else {
        sections.append((title, [model]))
      }
    }
    return (models, sections.map { Section(title: $0.title, elements: $0.elements) })
  }

  private func takeUp(_ notification: Notification) {
    guard concerns(notification) else { return }
    do {
      let (models, sections) = try fetched()
      registrar.withMutation(of: self, keyPath: \.results) { (found, grouped) = (models, sections) }
    } catch {
      warn(
        MisuseReport(
          "The results of an observer could not be read again.",
          facts: [("Model", ModelType.of(Element.self).name), ("Error", "\(error)")],
          how: "The context has changed, and the store does not answer any more. The results are those from before.",
          remedy: "Keep the store open for as long as something observes it."))
    }
  }

  private func concerns(_ notification: Notification) -> Bool {
    let userInfo = notification.userInfo ?? [:]
    if userInfo[NSInvalidatedAllObjectsKey] != nil { return true }
    let wanted = ModelType.of(Element.self)
    let types = modelContext.container.classes.byName
    return [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey].contains { key in
      (userInfo[key] as? Set<NSManagedObject> ?? []).contains {
        types[$0.entity.name ?? ""]?.inherits(from: wanted) ?? false
      }
    }
  }
}

extension ModelContainer {
  /// The context of an actor: see ``ResultsObserver``.
  fileprivate func context(of isolation: isolated (any Actor)?) -> ModelContext {
    if isolation === MainActor.shared {
      nonisolated(unsafe) var found: ModelContext?
      MainActor.assumeIsolated { found = mainContext }
      return found!
    }
    if let actor = isolation as? any ModelActor { return actor.modelExecutor.modelContext }
    return ModelContext(self)
  }
}
