internal import CSwiftRuntime

/// Classes with `performAndWait`, which has three forms.
///
/// The one in the class, whose block is `@Sendable`, is declared as Apple's, and exists to be overridden. The others
/// are in extensions of this protocol: one for blocks without a result, one for those that return or throw. Swift
/// chooses them for calls, since they take every block in every language mode. It chooses them after a program's own
/// generic form, which many have from before the framework had one, but the one without a result before that: such a
/// form calls the framework's with a block without a result. A container's asynchronous `performBackgroundTask` is in
/// such an extension for the same reason.
public protocol _BlockPerforming: AnyObject {}

/// As in Apple's framework an override sees all blocks: the other forms call it through this protocol.
protocol OverridableWaiting: AnyObject {
  func performAndWait(_ block: @Sendable () -> Void)
}

/// `performAndWait` of a subclass: runs `block` through the method that may be overridden.
///
/// An override calls `super`, which leads back to such a form on the same thread. Then `direct` runs the block.
func waitThroughOverride<T, Problem: Error>(
  of object: any OverridableWaiting, _ direct: () throws(Problem) -> T, _ block: () throws(Problem) -> T
) throws(Problem) -> T {
  let pointer = Unmanaged.passUnretained(object as AnyObject).toOpaque()
  let outer = core_data_waiting()
  defer { core_data_set_waiting(outer) }
  if outer == pointer {
    core_data_set_waiting(nil)
    return try direct()
  }
  core_data_set_waiting(pointer)
  nonisolated(unsafe) var outcome: Result<T, Problem>?
  object.performAndWait {
    do throws(Problem) { outcome = .success(try block()) } catch { outcome = .failure(error) }
  }
  guard let outcome else {
    misuse("performAndWait(_:) of \(type(of: object)) returned without having run its block.")
  }
  return try outcome.get()
}
