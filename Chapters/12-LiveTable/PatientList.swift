import CoreData

/// The waiting patients in sections by urgency, each section in the order of arrival: a fetch
/// that stays up to date, and the delegate that writes down what changes.
///
/// On the main queue, like its context.
public final class PatientList: NSObject, NSFetchedResultsControllerDelegate {
  public let controller: NSFetchedResultsController<Patient>
  /// What a screen has to show, made from what was told.
  public private(set) var shown = ShownList()
  /// Called after each batch, with the list as it was before it.
  public var onBatch: ((ListBatch, _ before: ShownList) -> Void)?

  private let zone: TimeZone
  private var batch = ListBatch()

  //> controller
  /// - Throws: What is wrong with the request, or what the store says.
  public init(_ context: NSManagedObjectContext, timeZone: TimeZone) throws {
    let request: NSFetchRequest<Patient> = Patient.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "urgency", ascending: true),
      NSSortDescriptor(key: "arrival", ascending: true),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: "urgency", cacheName: nil)
    zone = timeZone
    super.init()
    controller.delegate = self
    try fetch()
  }

  private func fetch() throws {
    try controller.performFetch()
    shown = listed
  }
  //< controller

  /// The controller's list, read again.
  public var listed: ShownList {
    ShownList(
      (controller.sections ?? []).map { section in
        let patients = section.objects as? [Patient] ?? []
        return ShownList.Section(
          name: section.name, rows: patients.map { PatientRow($0, in: zone) })
      })
  }

  //> filter
  /// Shows the patients whose name or complaint contains `text`, whatever its case and accents,
  /// or all if it is empty. Fetches, because another predicate is another list.
  public func setFilter(_ text: String) throws {
    controller.fetchRequest.predicate =
      text.isEmpty
      ? nil
      : NSPredicate(format: "name CONTAINS[cd] %@ OR complaint CONTAINS[cd] %@", text, text)
    try fetch()
  }
  //< filter

  //> delegate
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    batch = ListBatch()
  }

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange section: any NSFetchedResultsSectionInfo, atSectionIndex index: Int,
    for type: NSFetchedResultsChangeType
  ) {
    batch.sections.append(SectionChange(type: type, name: section.name, index: index))
  }

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange object: Any,
    at old: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath new: IndexPath?
  ) {
    let patient = type == .delete ? nil : object as? Patient
    batch.rows.append(
      RowChange(
        type: type, row: patient.map { PatientRow($0, in: zone) }, old: old.map(Place.init),
        new: new.map(Place.init)))
  }

  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    let before = shown
    shown.apply(batch)
    onBatch?(batch, before)
  }
  //< delegate
}
