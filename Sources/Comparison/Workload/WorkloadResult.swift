/// What one run of the workload found; written by the child process, read by its parent.
struct WorkloadResult: Codable, Sendable {
  /// Milliseconds from the call that opens until the first objects were there to be shown.
  var firstFetch: Double
  /// How many were imported.
  var books: Int
  /// Milliseconds in which writes were under way.
  var importTime: Double
  /// The main queue's longest delay until the first objects were shown, the longest one after that, and the one that 99
  /// of 100 ticks stayed below, in milliseconds.
  var openingStall: Double
  var longestStall: Double
  var percentile99: Double
  /// Bytes.
  var peakMemory: Int
  /// Edits of the user whose save was refused because a write had changed the same book.
  var conflicts: Int
  /// Edits of the user that were in the file before the user had saved them.
  var savedUnasked: Int
  var saves: Int
  var mainSaves: Int
  var visibility: Visibility
  var contexts: [ContextFact]
  var timeline: [TimelineEvent]
}
