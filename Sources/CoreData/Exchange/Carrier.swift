/// Carries what a block returned or threw back from the block's queue.
///
/// `@unchecked Sendable`: made on one side, taken over by the other.
struct Carrier<Value>: @unchecked Sendable {
  let value: Value
}

extension Result where Failure == any Error {
  /// What a block returned or threw on another queue.
  ///
  /// The block is not run again. It stands there for its type: a method that is declared `rethrows` may throw
  /// what a parameter throws, and the compiler takes this call for one of the block.
  func get<Problem: Error>(as block: () throws(Problem) -> Success) throws(Problem) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let problem): throw problem as! Problem
    }
  }
}
