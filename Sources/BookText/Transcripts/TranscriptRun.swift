import Foundation

/// Runs many transcripts, two at a time, because the chapters' programs often wait for files.
enum TranscriptRun {
  static func all(
    _ transcripts: [Transcript], _ runner: TranscriptRunner
  ) -> [(Transcript, Swift.Result<String, any Error>)] {
    let outcomes = Outcomes()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    for (index, transcript) in transcripts.enumerated() {
      queue.addOperation {
        outcomes.set(index, Swift.Result { try runner.run(transcript) })
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    return transcripts.indices.map { (transcripts[$0], outcomes[$0]) }
  }

  /// `@unchecked Sendable`: `values` is used under `lock` only.
  private final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Int: Swift.Result<String, any Error>] = [:]

    func set(_ index: Int, _ value: Swift.Result<String, any Error>) {
      lock.withLock { values[index] = value }
    }

    subscript(index: Int) -> Swift.Result<String, any Error> { lock.withLock { values[index]! } }
  }
}
