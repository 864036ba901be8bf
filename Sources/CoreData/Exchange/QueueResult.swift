/// Carries what a block returned or threw back from the block's queue.
///
/// `@unchecked Sendable`: one thread makes it, and another takes it over.
struct QueueResult<Value>: @unchecked Sendable {
  let value: Value
}

extension Result where Failure == any Error {
  /// What a block returned or threw on another queue.
  ///
  /// The block is not run again; only its type matters. A method that is declared `rethrows` may throw only what a
  /// parameter throws, and the compiler takes this call for a call of the block.
  func get<Problem: Error>(as block: () throws(Problem) -> Success) throws(Problem) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let problem): throw problem as! Problem
    }
  }
}
