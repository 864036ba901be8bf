import Foundation

/// Finds out from SwiftPM's output how far a build is.
package enum BuildProgress {
  /// `step 12 of 345: Compiling CoreData RowCache.swift`, or before the first step a line such as `Fetching https://…`.
  /// Empty if the output has neither yet.
  package static func words(_ output: String) -> String {
    // A page of warnings may follow the last step.
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

/// Shows progress: on a terminal as one line that is overwritten, elsewhere as a new line every 15 seconds.
package final class ProgressLine {
  package static let interval = 15.0

  private let isTerminal: Bool
  private let columns: Int
  private let write: (String) -> Void
  private let seconds: () -> Double
  private var lastLine: Double
  private var isShown = false

  /// - Parameters:
  ///   - columns: the terminal's width. The line never uses the last column, where it could wrap.
  ///   - seconds: a clock. Only its differences matter.
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

  /// Shows the words; call it as often as you like. "" removes the line, so that other output starts at the margin.
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
