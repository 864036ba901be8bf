import CoreData

/// Saves that the program has not asked for.
extension ModelContext {
  /// Has a change saved, if the context saves by itself.
  func saveSoon() {
    if autosaveEnabled { scheduleAutosave() }
  }

  func scheduleAutosave() {
    if isAutosaveScheduled { return }
    nonisolated(unsafe) weak let context = self
    // A main context goes with its container, but not before it has saved. Others may be of what that container has
    // left, and are not to save the main one.
    nonisolated(unsafe) let waiting = openContainer.sharedBy === self ? self : nil
    if let autosaveQueue {
      isAutosaveScheduled = true
      return autosaveQueue { (waiting ?? context)?.saveByItself() }
    }
    if isOnMainQueue() {
      isAutosaveScheduled = true
      return DispatchQueue.main.async { context?.saveByItself() }
    }
    // The next change may be on the main queue.
    if hasReportedNoQueue { return }
    hasReportedNoQueue = true
    warn(
      MisuseReport(
        "A context that should save by itself has no queue to do so.",
        facts: [("Context", "made by ModelContext(_:), and changed off the main queue")],
        how: "autosaveEnabled is true, and the context has no queue of its own.",
        remedy: "Call save(), or use the container's mainContext or a @ModelActor."))
  }

  private func saveByItself() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do {
      try save()
    } catch {
      warn(
        MisuseReport(
          "A context could not save by itself.", facts: [("Error", "\(error)")],
          how: "autosaveEnabled is true, and no call waits for such a save.",
          remedy: "Correct the models, or set autosaveEnabled to false and call save()."))
    }
  }
}
