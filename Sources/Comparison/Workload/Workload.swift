import ChapterSupport
import CoreData

/// The work of each set-up: open the store, show books, import others while the user edits, and close the store.
@MainActor
struct Workload {
  let type: any ComparedSetup.Type
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

  private func open(_ recorder: EventRecorder) async throws -> any ComparedSetup {
    let start = clock.milliseconds
    let setup = try await type.init(folder: folder)
    recorder.opened(since: start)
    return plant?.planted(in: setup) ?? setup
  }

  /// Fetches the first screen of books. Returns the time at which they were there.
  private func showFirstBooks(_ setup: any ComparedSetup, _ recorder: EventRecorder) throws -> Double {
    try recorder.record(.fetching) {
      recorder.read(in: setup.view.managedContext)
      let titles = try setup.view.firstTitles(100)
      guard titles.count == min(100, size.booksBefore) else {
        throw ComparisonFailure("The first fetch found \(titles.count) books.")
      }
    }
    return clock.milliseconds
  }

  /// Imports in batches. Before each batch the user changes a book, and saves after it; in between, the import changes
  /// another property of the same book.
  private func importWhileEditing(
    _ setup: any ComparedSetup, _ recorder: EventRecorder
  ) async throws -> (time: Double, conflicts: Int, savedUnasked: Int) {
    let view = setup.view
    var (time, conflicts, savedUnasked) = (0.0, 0, 0)
    for (number, first) in stride(from: 0, to: size.books, by: size.batch).enumerated() {
      let last = min(size.books, first + size.batch)
      let book = number % size.booksBefore
      let edited = try recorder.record(.editing) {
        let edited = try view.book(book)
        edited.pages += 1
        return edited
      }
      let before = size.booksBefore
      let start = clock.milliseconds
      try await setup.writeBooks { context in
        recorder.wrote(in: context.managedContext)
        try recorder.record(.writing, "books \(first + 1) to \(last)") {
          for number in first..<last { context.makeBook(before + number) }
          try context.book(book).stock += 1
        }
      }
      time += clock.milliseconds - start
      if !edited.hasUnsavedChanges { savedUnasked += 1 }
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

  /// Changes a book that the view context has, inserts one that it doesn't know, and finds out when it shows them.
  private func observeVisibility(_ setup: any ComparedSetup) async throws -> Visibility {
    let (view, known) = (setup.view, size.booksBefore - 1)
    let new = size.booksBefore + size.books
    let book = try view.book(known)
    let wanted = book.stock + 4711
    try await setup.writeBooks { context in
      try context.book(known).stock = wanted
      context.makeBook(new)
    }
    let written = clock.milliseconds
    var moment = Visibility.Moment.atOnce
    let changedAtOnce = book.stock == wanted
    let findsNew = (try? view.book(new)) != nil
    if !changedAtOnce {
      moment = .afterTurn
      while book.stock != wanted, clock.milliseconds - written < 100 { await nextTurn() }
    }
    var delay: Double? = clock.milliseconds - written
    if book.stock != wanted {
      delay = nil
      view.reread(book)
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
