import Foundation

/// Wall time and the process' processor time, in milliseconds.
struct Reading {
  private let wall = ContinuousClock.now
  private let processor = Reading.processorTime()

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
  }

  /// Prints one line: operation, wall, processor time, and a number that shows what was done.
  func report(_ name: String, _ result: Int) {
    let parts = wall.duration(to: .now).components
    let milliseconds = Double(parts.seconds) * 1000 + Double(parts.attoseconds) / 1e15
    print(
      name, String(format: "%.1f", milliseconds), String(format: "%.1f", Reading.processorTime() - processor), result,
      separator: "\t")
  }
}
