/// What the one who asked for a fetch wants to know of it while it runs, and how it is called off. Any thread.
package final class FetchWatch: @unchecked Sendable {
  // `@unchecked Sendable`: `cancelled` and `read` are only touched under `lock`.

  private let lock = NSLock()
  private var cancelled = false
  private var read = 0
  private let onProgress: @Sendable (Int) -> Void

  /// - Parameter onProgress: is told now and then how many rows have been read, on the thread that reads.
  package init(onProgress: @escaping @Sendable (Int) -> Void = { _ in }) { self.onProgress = onProgress }

  package func cancel() { lock.withLock { cancelled = true } }

  package var isCancelled: Bool { lock.withLock { cancelled } }

  /// Called now and then by the reader; throws if nobody waits for the answer any more.
  package func note(rows: Int) throws {
    let (goesOn, isNews) = lock.withLock {
      defer { read = rows }
      return (!cancelled, rows != read)
    }
    guard goesOn else { throw Failure.cancelled }
    if isNews { onProgress(rows) }
  }
}
