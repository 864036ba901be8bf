/// Watches a running fetch for its caller, and cancels it. Any thread.
package final class FetchWatch: @unchecked Sendable {
  // `@unchecked Sendable`: `cancelled` and `read` are only touched under `lock`.

  private let lock = NSLock()
  private var cancelled = false
  private var read = 0
  private let onProgress: @Sendable (Int) -> Void

  /// - Parameter onProgress: is called from time to time with the number of rows read, on the reading thread.
  package init(onProgress: @escaping @Sendable (Int) -> Void = { _ in }) { self.onProgress = onProgress }

  package func cancel() { lock.withLock { cancelled = true } }

  package var isCancelled: Bool { lock.withLock { cancelled } }

  /// Called from time to time by the reader. Throws if the fetch was canceled.
  package func countRows(_ rows: Int) throws {
    let (goesOn, isNews) = lock.withLock {
      defer { read = rows }
      return (!cancelled, rows != read)
    }
    guard goesOn else { throw Failure.cancelled }
    if isNews { onProgress(rows) }
  }
}
