/// Runs `body`, and lets a program see its failure: rooms throw a `Failure` among themselves.
@inline(__always)
func publicErrors<Value>(_ body: () throws -> Value) throws -> Value {
  do { return try body() } catch let failure as Failure { throw failure.nsError }
}
