import Dispatch

/// A timer on the main queue that wants to fire each millisecond, and knows how late it was each time: what a user
/// feels as a stall.
///
/// Belongs to the main queue.
final class MainQueueTicker {
  /// A frame at sixty a second, in milliseconds: a longer stall can be seen.
  static let frame = 16.0

  private let clock: Clock
  private let timer: any DispatchSourceTimer
  private var last: Double
  /// When ticks were due and did not come, in milliseconds: from and to.
  private(set) var stalls: [(start: Double, end: Double)] = []
  /// How late each tick was, in milliseconds. A tick that could not be fired because the queue was blocked counts as
  /// one that was late, or a long stall would count once.
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

  /// The longest delay since this was last asked, in milliseconds. Ends what is under way.
  func takeLongest() -> Double {
    tick()
    defer { counted = delays.count }
    return delays[counted...].max() ?? 0
  }

  /// The delay that 99 of 100 ticks stayed below.
  var percentile99: Double {
    guard !delays.isEmpty else { return 0 }
    let sorted = delays.sorted()
    return sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
  }
}
