import CoreData

/// The results of a fetch, updated as the context changes.
///
///     let books = try ResultsObserver<Book, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
///     withObservationTracking { print(books.results.count) } onChange: { … }
///
/// The results change when the context processes changes: at a save, at ``ModelContext/processPendingChanges()``, and,
/// in the main context, at the end of the main queue's current turn. The same holds for changes that the context merges
/// from other saves. Only changes of the fetched models count. If the predicate follows a relationship, a change at the
/// other end doesn't.
///
/// Use it on the thread or actor of its context.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The models with the same value at the section's key path.
  public struct Section: Identifiable {
    /// The value that the section's models share.
    public let title: SectionTitle
    /// The models, in the observer's order.
    public let elements: [Element]
    /// The section's title.
    public var id: SectionTitle { title }
  }

  /// The fetch that finds the models.
  public let fetchDescriptor: FetchDescriptor<Element>
  /// The key path whose values divide the results into sections; nil if there are no sections.
  public let sectionBy: KeyPath<Element, SectionTitle>?
  /// The context of the models.
  public let modelContext: ModelContext
  private var found: [Element] = []
  private var grouped: [Section] = []
  private let request: NSFetchRequest<NSManagedObject>
  private let registrar = ObservationRegistrar()
  private var observations: [any NSObjectProtocol] = []

  /// Observes the models that meet a condition, in an order.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [], modelContext: ModelContext
  ) throws where SectionTitle == Never {
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), nil, modelContext)
  }

  /// Observes the models that a descriptor describes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContext: ModelContext
  ) throws where SectionTitle == Never {
    try self.init(fetchDescriptor, nil, modelContext)
  }

  /// Observes the models that meet a condition, in sections. The sections are ordered by title, the models of each as
  /// `sortBy` says.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext
  ) throws {
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), sectionBy, modelContext)
  }

  /// Observes the models that a descriptor describes, in sections. The sections are ordered by title.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext
  ) throws {
    try self.init(fetchDescriptor, sectionBy, modelContext)
  }

  /// Observes the models that meet a condition, in an order, in a context of the container.
  ///
  /// - Parameter isolation: the actor whose context is used: the container's main context for the main actor, its own
  ///   context for a model actor. Any other caller gets a new context, which belongs to the thread or actor that uses
  ///   the observer.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Never {
    let context = modelContainer.context(of: isolation)
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), nil, context)
  }

  /// Observes the models that a descriptor describes, in a context of the container.
  ///
  /// - Parameter isolation: the actor whose context is used, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws where SectionTitle == Never {
    let context = modelContainer.context(of: isolation)
    try self.init(fetchDescriptor, nil, context)
  }

  /// Observes the models that meet a condition, in sections, in a context of the container.
  ///
  /// - Parameter isolation: the actor whose context is used, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
  public convenience init(
    filterBy predicate: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let context = modelContainer.context(of: isolation)
    try self.init(FetchDescriptor(predicate: predicate, sortBy: sortBy), sectionBy, context)
  }

  /// Observes the models that a descriptor describes, in sections, in a context of the container.
  ///
  /// - Parameter isolation: the actor whose context is used, as in ``init(filterBy:sortBy:modelContainer:isolation:)``.
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
    // A save is announced as a change before the stores are written. Without pending changes, only they count.
    let names: [Notification.Name] = [.NSManagedObjectContextObjectsDidChange]
    observations = (descriptor.includePendingChanges ? names : names + [.NSManagedObjectContextDidSave]).map { name in
      NotificationCenter.default.addObserver(forName: name, object: context.managedContext, queue: nil) {
        observer?.takeUp($0)
      }
    }
  }

  deinit { observations.forEach(NotificationCenter.default.removeObserver) }

  /// The condition that the models meet.
  public var filterBy: Predicate<Element>? { fetchDescriptor.predicate }
  /// The order of the models; sections come first.
  public var sortBy: [SortDescriptor<Element>] { fetchDescriptor.sortBy }

  /// The models, in order.
  public var results: [Element] {
    registrar.access(self, keyPath: \.results)
    return found
  }

  /// The models in sections; nil if there is no key path for sections.
  public var sections: [Section]? {
    registrar.access(self, keyPath: \.results)
    return sectionBy == nil ? nil : grouped
  }

  /// The model at a position: first the section, then the position in it. Without sections, the first number is
  /// ignored.
  public func element(at indexPath: IndexPath) -> Element {
    precondition(indexPath.count == 2, "The place of a result has two numbers: its section's, and its own.")
    guard let sections else { return results[indexPath[1]] }
    return sections[indexPath[0]].elements[indexPath[1]]
  }

  /// The position of a model; nil if it isn't among the results. Without sections, the first number is 0.
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
  /// The context for an actor: see ``ResultsObserver``.
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
