import Dispatch

/// Time since it was made, in milliseconds, on a clock that never goes back.
struct Clock: Sendable {
  private let start = DispatchTime.now().uptimeNanoseconds

  var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
