internal import CSwiftRuntime

/// Classes that have both forms of `performAndWait`.
///
/// Swift chooses the generic form for calls, since it takes every block in every language mode. The other form, whose
/// block is `@Sendable`, exists to be overridden. As in Apple's framework an override sees all blocks: the generic form
/// calls it through this protocol, which has only that form.
protocol OverridableWaiting: AnyObject {
  func performAndWait(_ block: @Sendable () -> Void)
}

/// The generic `performAndWait` of a subclass: runs `block` through the method that may be overridden.
///
/// An override calls `super`, which leads back to the generic form on the same thread. Then `direct` runs the block.
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
