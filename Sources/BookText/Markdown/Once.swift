import Foundation

/// A value that is computed when it is first needed, and then kept. It holds results of reading a text, which never
/// changes. Copies of the text share it.
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
