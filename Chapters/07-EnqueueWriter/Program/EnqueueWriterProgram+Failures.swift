import ChapterSupport
import CoreData
import EnqueueWriterChapter

extension EnqueueWriterProgram {
  @MainActor func showOneThatThrows(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("Ten blocks wait, and the fourth throws")
    let (saves, entries) = (manager.saveCount, try file.entries())
    let results = enqueueTogether(10, on: manager) { index, context in
      let entry = Entry(context: context)
      entry.producer = -2
      entry.sequence = Int32(index)
      if index == 3 { throw ChapterFailure("The fourth block changed its mind.") }
    }
    for (index, result) in results.enumerated() {
      if case .failure(let error) = result {
        Output.line("block \(index + 1) got: \(ChapterFailure(error).sentence)")
      }
    }
    let good = results.filter { if case .success = $0 { true } else { false } }.count
    let saved = manager.saveCount - saves
    Output.line("\(good) blocks were saved, by \(Output.count(saved, "save")): each on its own")
    Output.line("in the file: \(try file.entries() - entries) more entries")
  }

  //> not-valid
  /// A tally without a name can't be saved. The caller hears why, and the file stays as it was.
  @MainActor func showOneThatIsNotValid(
    _ manager: CoreDataManager, _ file: WriterFile
  ) async throws {
    Output.heading("A block whose changes cannot be saved")
    let before = try file.tallies()
    do {
      try await manager.enqueue { context in
        Tally(context: context).total = 1
      }
    } catch {
      let error = error as NSError
      let property = error.userInfo[NSValidationKeyErrorKey] ?? "not named"
      Output.line("the caller got: \(error.domain) \(error.code), property \(property)")
      Output.line("in the file: \(try file.tallies() - before) more tallies")
      return
    }
    throw ChapterFailure("A tally without a name was saved to \(file.url.path).")
  }
  //< not-valid
}
