import Foundation

/// How far a build is, told by what SwiftPM has printed so far.
package enum BuildProgress {
  /// `step 12 of 345: Compiling CoreData RowCache.swift`; before there are steps, what is done first, as
  /// `Fetching https://…`; "" where nothing of the kind was printed yet.
  package static func words(_ output: String) -> String {
    // A page of warnings may stand behind the last step.
    for line in output.suffix(200_000).split(separator: "\n").reversed() {
      if let step = line.wholeMatch(of: #/\[(\d+)\/(\d+)\] (.*)/#) {
        return "step \(step.1) of \(step.2): \(step.3.replacing(#/.*\/(?=[^\/]+$)/#, with: ""))"
      }
      if line.prefixMatch(of: #/(Fetching|Computing|Creating working copy|Planning|Building for) /#) != nil {
        return String(line)
      }
    }
    return ""
  }
}

/// Shows how far something is: on a terminal in one line that is written over, elsewhere a line every 15 seconds.
package final class ProgressLine {
  package static let interval = 15.0

  private let isTerminal: Bool
  private let columns: Int
  private let write: (String) -> Void
  private let seconds: () -> Double
  private var lastLine: Double
  private var isShown = false

  /// - Parameters:
  ///   - columns: of the terminal; the line never takes the last one, where it could wrap.
  ///   - seconds: a clock; only differences count.
  package init(
    isTerminal: Bool, columns: Int = 80, write: @escaping (String) -> Void,
    seconds: @escaping () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.write = write
    self.seconds = seconds
    lastLine = seconds()
  }

  /// Call it as often as you like. "" takes the line away: what comes next starts at the margin.
  package func show(_ words: String) {
    let line = Screen.cut("  " + words, to: max(20, columns - 1))
    if words.isEmpty {
      if isShown { write("\r\u{1B}[K") }
      isShown = false
      lastLine = seconds()
    } else if isTerminal {
      write("\r\u{1B}[K" + line)
      isShown = true
    } else if seconds() - lastLine >= Self.interval {
      write(line + "\n")
      lastLine = seconds()
    }
  }
}
