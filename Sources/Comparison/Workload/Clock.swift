import Dispatch

/// Measures the milliseconds since it was made, on a clock that never goes back.
struct Clock: Sendable {
  private let start = DispatchTime.now().uptimeNanoseconds

  var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
