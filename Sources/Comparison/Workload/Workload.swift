import ChapterSupport
import CoreData

/// What each set-up has to do: open, show, import while the user edits, and close.
@MainActor
struct Workload {
  let type: any StackSetup.Type
  let folder: URL
  let size: WorkloadSize
  let plant: PlantedFault?

  private let clock = Clock()

  func run() async throws -> WorkloadResult {
    let recorder = EventRecorder(clock: clock)
    let ticker = MainQueueTicker(clock: clock)
    let setup = try await open(recorder)
    let firstFetch = try showFirstBooks(setup, recorder)
    let openingStall = ticker.takeLongest()
    let work = try await importWhileEditing(setup, recorder)
    let longestStall = ticker.takeLongest()
    ticker.stop()
    recorder.stop()
    let visibility = try await observeVisibility(setup)
    let peak = PeakMemory.bytes
    try await setup.close()
    return WorkloadResult(
      firstFetch: firstFetch, books: size.books, importTime: work.time, openingStall: openingStall,
      longestStall: longestStall, percentile99: ticker.percentile99,
      peakMemory: peak, conflicts: work.conflicts, savedUnasked: work.savedUnasked, saves: recorder.saveCount,
      mainSaves: recorder.mainSaveCount, visibility: visibility, contexts: recorder.contexts,
      timeline: recorder.timeline
        + ticker.stalls.map { TimelineEvent(queue: "main", kind: .stalled, start: $0.start, end: $0.end) })
  }

  private func open(_ recorder: EventRecorder) async throws -> any StackSetup {
    let start = clock.milliseconds
    let setup = try await type.init(folder: folder)
    recorder.opened(since: start)
    return plant?.planted(in: setup) ?? setup
  }

  /// A first screen of books; returns when they were there.
  private func showFirstBooks(_ setup: any StackSetup, _ recorder: EventRecorder) throws -> Double {
    try recorder.record(.fetching) {
      recorder.read(in: setup.viewContext)
      let request = NSFetchRequest<Book>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
      request.fetchLimit = 100
      let titles = try setup.viewContext.fetch(request).compactMap(\.title)
      guard titles.count == min(100, size.booksBefore) else {
        throw ComparisonFailure("The first fetch found \(titles.count) books.")
      }
    }
    return clock.milliseconds
  }

  /// Imports in batches. Before each the user changes a book and has not saved yet when the import changes another
  /// property of the same book; then the user saves.
  private func importWhileEditing(
    _ setup: any StackSetup, _ recorder: EventRecorder
  ) async throws -> (time: Double, conflicts: Int, savedUnasked: Int) {
    let view = setup.viewContext
    var (time, conflicts, savedUnasked) = (0.0, 0, 0)
    for (number, first) in stride(from: 0, to: size.books, by: size.batch).enumerated() {
      let last = min(size.books, first + size.batch)
      let book = number % size.booksBefore
      let edited = try recorder.record(.editing) {
        let edited = try Book.find(book, in: view)
        edited.pages += 1
        return edited
      }
      let before = size.booksBefore
      let start = clock.milliseconds
      try await setup.write { context in
        recorder.wrote(in: context)
        try recorder.record(.writing, "books \(first + 1) to \(last)") {
          for number in first..<last { Book.make(before + number, in: context) }
          try Book.find(book, in: context).stock += 1
        }
      }
      time += clock.milliseconds - start
      if !edited.hasPersistentChangedValues { savedUnasked += 1 }
      do {
        try await setup.saveView()
      } catch let error where ErrorFacts(error).isConflict {
        conflicts += 1
        view.rollback()
      }
      await nextTurn()
    }
    return (time, conflicts, savedUnasked)
  }

  /// Changes a book that the user looks at, and makes one that the user does not know of.
  private func observeVisibility(_ setup: any StackSetup) async throws -> Visibility {
    let (view, known) = (setup.viewContext, size.booksBefore - 1)
    let new = size.booksBefore + size.books
    let book = try Book.find(known, in: view)
    let wanted = book.stock + 4711
    try await setup.write { context in
      try Book.find(known, in: context).stock = wanted
      Book.make(new, in: context)
    }
    let written = clock.milliseconds
    var moment = Visibility.Moment.atOnce
    let changedAtOnce = book.stock == wanted
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "isbn == %@", Book.isbn(new))
    let findsNew = try view.fetch(request).count == 1
    if !changedAtOnce {
      moment = .afterTurn
      while book.stock != wanted, clock.milliseconds - written < 100 { await nextTurn() }
    }
    var delay: Double? = clock.milliseconds - written
    if book.stock != wanted {
      delay = nil
      view.refresh(book, mergeChanges: true)
      moment = book.stock == wanted ? .afterRefresh : .never
    }
    return Visibility(fetchFindsNewRows: findsNew, changedObject: moment, delay: changedAtOnce ? 0 : delay)
  }

  private func nextTurn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}
