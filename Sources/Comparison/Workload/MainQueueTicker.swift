import Dispatch

/// A timer on the main queue that should fire every millisecond. It records how late it was, which is what a user feels
/// as a stall.
///
/// Use it on the main queue.
final class MainQueueTicker {
  /// The length of a frame at 60 frames a second, in milliseconds. A longer stall is visible.
  static let frame = 16.0

  private let clock: Clock
  private let timer: any DispatchSourceTimer
  private var last: Double
  /// The periods in which no tick came, in milliseconds.
  private(set) var stalls: [(start: Double, end: Double)] = []
  /// How late each tick was, in milliseconds. Ticks that were skipped because the queue was blocked count too;
  /// otherwise a long stall would count once.
  private(set) var delays: [Double] = []
  private var counted = 0

  init(clock: Clock) {
    self.clock = clock
    last = clock.milliseconds
    timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
    timer.schedule(deadline: .now(), repeating: .milliseconds(1), leeway: .nanoseconds(0))
    timer.setEventHandler { [unowned self] in tick() }
    timer.resume()
  }

  private func tick() {
    let now = clock.milliseconds
    let gap = now - last
    var late = max(0, gap - 1)
    repeat {
      delays.append(late)
      late -= 1
    } while late > 0
    if gap > Self.frame { stalls.append((last, now)) }
    last = now
  }

  func stop() { timer.cancel() }

  /// The longest delay since the last call, in milliseconds, including the delay that is under way.
  func takeLongest() -> Double {
    tick()
    defer { counted = delays.count }
    return delays[counted...].max() ?? 0
  }

  /// The delay that 99 of 100 ticks didn't exceed, in milliseconds.
  var percentile99: Double {
    guard !delays.isEmpty else { return 0 }
    let sorted = delays.sorted()
    return sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
  }
}
