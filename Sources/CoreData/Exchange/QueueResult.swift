/// Carries the result of a block, or its error, from the block's queue to another.
///
/// `@unchecked Sendable`: one thread makes it, and one other thread takes it.
struct QueueResult<Value>: @unchecked Sendable {
  let value: Value
}

extension Result where Failure == any Error {
  /// Returns or throws what a block returned or threw on another queue.
  ///
  /// The block is not run again. It is a parameter because a `rethrows` method may throw only what a block parameter
  /// throws, and so the compiler takes this call for a call of the block.
  func get<Problem: Error>(as block: () throws(Problem) -> Success) throws(Problem) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let problem): throw problem as! Problem
    }
  }
}
