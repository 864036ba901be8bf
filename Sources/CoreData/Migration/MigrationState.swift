import Foundation

/// The progress of a migration for other threads, and their request to cancel it.
// @unchecked Sendable: everything is only touched under `lock`; a Progress may be used from any thread.
final class MigrationState: @unchecked Sendable {
  private let lock = NSLock()
  private var error: NSError?
  private var isRunning = false
  private var wasUsed = false
  private var done = 0.0
  private var told: [any MigrationObserver] = []
  private var reported: [Progress] = [Progress.discreteProgress(totalUnitCount: MigrationState.units)]

  private static let units: Int64 = 1000

  /// The progress from 0 to 1.
  var fraction: Double { lock.withLock { done } }

  var progress: Progress { lock.withLock { reported[0] } }

  var observers: [any MigrationObserver] { lock.withLock { told } }

  func add(_ observer: any MigrationObserver) { lock.withLock { told.append(observer) } }

  func remove(_ observer: any MigrationObserver) {
    // It is let go outside of the lock, since what it keeps may end with it.
    let former = lock.withLock {
      defer { told.removeAll { $0 === observer } }
      return told
    }
    withExtendedLifetime(former) {}
  }

  /// Begins a migration on this thread. If the thread has a current `Progress`, it becomes a parent of a reported one.
  func begin() {
    lock.withLock {
      error = nil
      isRunning = true
      done = 0
      if wasUsed { reported = [Progress.discreteProgress(totalUnitCount: MigrationState.units)] }
      wasUsed = true
      if Progress.current() != nil { reported.append(Progress(totalUnitCount: MigrationState.units)) }
    }
  }

  func end() { lock.withLock { isRunning = false } }

  func advance(to fraction: Double) {
    let (progresses, count) = lock.withLock {
      done = max(done, min(fraction, 1))
      return (reported, Int64(done * Double(MigrationState.units)))
    }
    for progress in progresses where progress.completedUnitCount < count { progress.completedUnitCount = count }
  }

  func cancel(_ error: NSError) {
    lock.withLock {
      if isRunning, self.error == nil { self.error = error }
    }
  }

  /// The error that the migration has to end with; nil to go on.
  var cancellation: NSError? {
    let (error, progresses) = lock.withLock { (self.error, reported) }
    if let error { return error }
    return progresses.contains(where: \.isCancelled) ? Failure.migrationCancelled.nsError : nil
  }
}
