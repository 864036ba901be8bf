import Foundation

/// A value that is worked out when it is first asked for, and kept: for what a text that never changes says of itself.
/// Copies of the text share it.
final class Once<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var known: Value?

  func value(_ workOut: () -> Value) -> Value {
    lock.withLock {
      if let known { return known }
      let value = workOut()
      known = value
      return value
    }
  }
}
