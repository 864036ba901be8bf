import BookPages
import Comparison

/// What each queue did at which time: a drawing for each set-up, all on the same scale, with the sums as text below.
struct Timelines {
  private let setups: [SetupReport]
  /// The right end of all drawings, in milliseconds.
  private let end: Double

  init(_ report: ComparisonReport) {
    setups = report.setups.filter { !$0.timeline.isEmpty }
    end = Self.scaleEnd(setups.flatMap(\.timeline).map(\.end).max() ?? 0)
  }

  var isEmpty: Bool { setups.isEmpty }

  var html: String {
    let kinds = TimelineEvent.Kind.allCases.filter { kind in
      setups.contains { $0.timeline.contains { $0.kind == kind } }
    }
    let legend = kinds.map {
      "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"\($0.rawValue)\" width=\"10\" height=\"10\"/></svg> "
        + "\(Self.meaning(of: $0))</li>\n"
    }
    return """
      <p>One round of each set-up; time runs from left to right, from the call that opens the store, and all drawings have \
      one scale. What the main queue does at length the user waits for.</p>
      <ul class="legend">
      \(legend.joined())</ul>
      <div class="timelines wide">
      \(setups.map(timeline).joined())</div>

      """
  }

  private static func meaning(of kind: TimelineEvent.Kind) -> String {
    switch kind {
    case .opening: "opening the store"
    case .fetching: "the first fetch"
    case .writing: "a block makes objects"
    case .saving: "a context saves"
    case .editing: "the user edits"
    case .stalled: "the main queue was stuck for more than 16 ms"
    }
  }

  private func timeline(_ setup: SetupReport) -> String {
    let queues = setup.timeline.reduce(into: [String]()) { if !$0.contains($1.queue) { $0.append($1.queue) } }
      .sorted { ($0 == "main" ? 0 : 1, $0) < ($1 == "main" ? 0 : 1, $1) }
    let lanes = queues.map { queue in lane(queue, setup.timeline.filter { $0.queue == queue }) }
    return """
      <figure class="timeline" id="queues-\(setup.info.id.escapedForHTML)">
      <figcaption><b>\(setup.info.title.escapedForHTML)</b>, \
      \(Figures.text((setup.timeline.map(\.end).max() ?? 0).rounded())) ms in all</figcaption>
      \(lanes.joined())<div class="axis" aria-hidden="true">\(ticks)</div>
      <ul class="sums">\(queues.map { "<li>\(sums($0, setup))</li>" }.joined())</ul>
      </figure>

      """
  }

  private func lane(_ queue: String, _ events: [TimelineEvent]) -> String {
    // Stalls overlap the events that cause them, so they have a strip of their own at the bottom of the lane.
    let drawn = events.filter { $0.kind != .stalled } + events.filter { $0.kind == .stalled }
    let rectangles = drawn.map { event in
      let (y, height) = event.kind == .stalled ? (17, 3) : (1, 15)
      // An event shorter than a pixel has to be visible.
      let width = max(0.12, (event.end - event.start) / end * 100)
      let says =
        "\(event.kind.rawValue), \(Figures.fixed(event.start, 1))–\(Figures.fixed(event.end, 1)) ms"
        + (event.detail.map { ": \($0)" } ?? "")
      return "<rect class=\"\(event.kind.rawValue)\" x=\"\(Figures.fixed(event.start / end * 100, 3))\" y=\"\(y)\" "
        + "width=\"\(Figures.fixed(width, 3))\" height=\"\(height)\"><title>\(says.escapedForHTML)</title></rect>"
    }
    return """
      <div class="lane"><span>\(queue.escapedForHTML)</span><svg viewBox="0 0 100 20" preserveAspectRatio="none" \
      role="img" aria-label="What the queue \(queue.escapedForHTML) did">\(rectangles.joined())</svg></div>

      """
  }

  /// The sums of a queue: `main: opening 3.1 ms, saving 40 ms in 20 stretches`.
  private func sums(_ queue: String, _ setup: SetupReport) -> String {
    let parts = TimelineEvent.Kind.allCases.compactMap { kind -> String? in
      let events = setup.timeline.filter { $0.queue == queue && $0.kind == kind }
      guard !events.isEmpty else { return nil }
      let sum = events.reduce(0) { $0 + $1.end - $1.start }
      return "\(kind.rawValue) \(Figures.text(sum)) ms" + (events.count > 1 ? " in \(events.count) stretches" : "")
    }
    return "<b>\(queue.escapedForHTML)</b>: \(parts.joined(separator: ", "))"
  }

  private var ticks: String {
    (0...4).map { "<span>\(Figures.text(end * Double($0) / 4))\($0 == 4 ? " ms" : "")</span>" }.joined()
  }

  /// The next greater number that is easily divided by four.
  private static func scaleEnd(_ greatest: Double) -> Double {
    var step = 4.0
    while step * 10 < greatest { step *= 10 }
    return [1, 2, 3, 4, 5, 6, 8, 10].map { step * $0 }.first { $0 >= greatest } ?? step * 10
  }
}
