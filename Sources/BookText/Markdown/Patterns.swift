/// Patterns that are asked for in every line: a literal in a loop would be parsed and compiled each time it is met.
enum Patterns {
  // A `Regex` without closures never changes; it is not marked as `Sendable` because others have closures.
  nonisolated(unsafe) static let code = #/`[^`]*`/#
  nonisolated(unsafe) static let codeSpan = #/`+[^`]*`+/#
  /// A link or an image: whether it is an image, and its target.
  nonisolated(unsafe) static let target = #/(!?)\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)/#
  /// A link or an image: its text, and all that stands in the parentheses.
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
