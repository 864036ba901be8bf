/// Patterns that are matched against every line. A literal inside a loop would be parsed and compiled each time.
enum Patterns {
  // A `Regex` without closures never changes. It isn't marked as `Sendable` because a `Regex` may have closures.
  nonisolated(unsafe) static let code = #/`[^`]*`/#
  nonisolated(unsafe) static let codeSpan = #/`+[^`]*`+/#
  /// A link or an image: whether it is an image, and its target.
  nonisolated(unsafe) static let target = #/(!?)\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)/#
  /// A link or an image: its text, and everything in the parentheses.
  nonisolated(unsafe) static let link = #/!?\[([^\]]*)\]\(([^)]*)\)/#
  nonisolated(unsafe) static let tag = #/<\/?[a-zA-Z][^>]*>/#
  nonisolated(unsafe) static let emphasis = #/[*\\]/#
  nonisolated(unsafe) static let listSign = #/(?:[-*+]|[0-9]+[.)]) +/#
  nonisolated(unsafe) static let headingSign = #/#{1,6} +/#
  nonisolated(unsafe) static let block = #/<\/?(?:details|summary|div|section|aside)\b/#
  nonisolated(unsafe) static let details = #/<details\b/#
  nonisolated(unsafe) static let quotedTable = #/<!-- table transcript=(\S+) -->/#
  nonisolated(unsafe) static let prediction = #/^\W*(?:<summary>)?Predict:/#
  nonisolated(unsafe) static let figures = #/<!-- figures (\S+) -->/#
  nonisolated(unsafe) static let parts = #/<!-- parts: ([^>]*) -->/#
  nonisolated(unsafe) static let picture = #/!\[([^\]]*)\]\(<?([^)\s>]+)>?[^)]*\)/#
}
