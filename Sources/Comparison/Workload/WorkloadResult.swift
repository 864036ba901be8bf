/// The results of one run of the workload. The child process writes them, its parent reads them.
struct WorkloadResult: Codable, Sendable {
  /// Milliseconds from the call that opens the store until the first objects can be shown.
  var firstFetch: Double
  /// The number of imported books.
  var books: Int
  /// The time in which writes were under way, in milliseconds.
  var importTime: Double
  /// The main queue's longest delay until the first objects were shown, the longest one after that, and the one that 99
  /// of 100 ticks didn't exceed, all in milliseconds.
  var openingStall: Double
  var longestStall: Double
  var percentile99: Double
  /// The peak memory in bytes.
  var peakMemory: Int
  /// The user's edits whose save was refused because a write had changed the same book.
  var conflicts: Int
  /// The user's edits that were already in the file before the user saved.
  var savedUnasked: Int
  var saves: Int
  var mainSaves: Int
  var visibility: Visibility
  var contexts: [ContextFact]
  var timeline: [TimelineEvent]
}
