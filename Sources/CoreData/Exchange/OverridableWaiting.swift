internal import CSwiftRuntime

/// What has both forms of `performAndWait`.
///
/// Calls choose the generic form, which takes every block in every language mode; the other one, whose block is
/// `@Sendable`, is there to be overridden. As with Apple's framework an override sees all blocks, so the generic form
/// calls it, by way of this protocol, where it is the only one.
protocol OverridableWaiting: AnyObject {
  func performAndWait(_ block: @Sendable () -> Void)
}

/// The generic `performAndWait` of an object of a subclass: runs `block` by the method that may be overridden.
///
/// An override calls `super`, which is the generic form again; on the same thread, and then `direct` runs the block.
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
    fatalError("performAndWait(_:) of \(type(of: object)) returned without having run its block.")
  }
  return try outcome.get()
}
