import ChapterSupport
import CoreData
import LiveTableChapter

extension PlainTable {
  func tellOtherForms() async throws {
    Output.heading("As a snapshot, and as a difference")
    let snapshots = SnapshotList()
    let bySection = NSFetchedResultsController(
      fetchRequest: list.controller.fetchRequest, managedObjectContext: stack.viewContext,
      sectionNameKeyPath: "urgency", cacheName: nil)
    bySection.delegate = snapshots
    try bySection.performFetch()

    let newestFirst: NSFetchRequest<Patient> = Patient.fetchRequest()
    newestFirst.sortDescriptors = [
      NSSortDescriptor(key: "arrival", ascending: false),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    let arrivals = NSFetchedResultsController(
      fetchRequest: newestFirst, managedObjectContext: stack.viewContext,
      sectionNameKeyPath: nil, cacheName: nil)
    try arrivals.performFetch()
    let differences = DifferenceList((arrivals.fetchedObjects ?? []).map(\.objectID))
    arrivals.delegate = differences

    let (mara, now) = (try id("Mara Lindt"), now)
    try await step("Mara Lindt can wait, and Nora Vik comes in:") {
      try await reception.write { context in
        try Reception.patient(mara, in: context).urgency = Urgency.urgent.rawValue
        Reception.admit(WaitingRoomScript.newcomers[4], at: now + 60, in: context)
      }
    }
    tell(snapshots.snapshot)
    if let difference = differences.last { tell(difference) }
    let fetched = (arrivals.fetchedObjects ?? []).map(\.objectID)
    Output.line("the ids are the controller's: \(differences.ids == fetched)")
  }

  private func tell(_ snapshot: NSDiffableDataSourceSnapshot<String, NSManagedObjectID>) {
    Output.line("snapshot:")
    for section in snapshot.sectionIdentifiers {
      Output.line("  \(section): \(names(snapshot.itemIdentifiers(inSection: section)))")
    }
    Output.line("  new values: \(names(snapshot.reloadedItemIdentifiers))")
  }

  private func tell(_ difference: CollectionDifference<NSManagedObjectID>) {
    Output.line("difference:")
    for change in difference {
      switch change {
      case .remove(let offset, let id, let other):
        let target = other.map { ", goes to \($0)" } ?? ""
        Output.line("  remove \(offset) \(names([id]))\(target)")
      case .insert(let offset, let id, let other):
        let source = other.map { ", was at \($0)" } ?? ""
        Output.line("  insert \(offset) \(names([id]))\(source)")
      }
    }
  }

  private func names(_ ids: [NSManagedObjectID]) -> String {
    let rows = list.shown.rows
    return ids.map { id in rows.first { $0.id == id }?.name ?? "?" }.joined(separator: ", ")
  }
}
