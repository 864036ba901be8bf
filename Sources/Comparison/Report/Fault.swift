/// Something that was made to go wrong.
public struct Fault: Codable, Sendable, Equatable {
  public var id: String
  /// A few words: `the file is no store`.
  public var title: String
  /// How it is brought about, in a sentence.
  public var explanation: String

  public init(id: String, title: String, explanation: String) {
    self.id = id
    self.title = title
    self.explanation = explanation
  }
}

/// What a set-up made of a fault. All of it was seen in a process of its own, and in the file that this left behind.
public struct FaultOutcome: Codable, Sendable, Equatable {
  /// How the failure came to light.
  public enum Surface: String, Codable, Sendable, CaseIterable {
    /// A call threw it.
    case thrown
    /// A completion handler was given it.
    case handler
    /// A property holds it; whoever doesn't ask does not learn of it.
    case property
    /// Only standard error says so.
    case log
    /// The process ended: by a trap, or because it was killed.
    case ended
    /// Nothing failed.
    case none
    /// The fault means nothing here.
    case notApplicable
  }

  public var surface: Surface
  /// Where: `CoreDataStack.loadingFailure`, `saveContext()`, `SIGILL`. Empty for none.
  public var place: String
  /// Domain and code: `NSCocoaErrorDomain 259`. Nil without an error.
  public var error: String?
  /// What a person would read: the error's own text; of a process that ended, or only said it there, a line on standard
  /// error. Nil if there is none, as for arithmetic that traps in a release build.
  public var message: String?
  /// Whether the program could write afterwards, without being started anew; nil if the process ended.
  public var canWriteAfterwards: Bool?
  /// The store's file afterwards, as an independent connection reads it.
  public var file: FileState
  /// What else was seen, or why the fault does not apply.
  public var note: String?

  public init(
    surface: Surface, place: String = "", error: String? = nil, message: String? = nil,
    canWriteAfterwards: Bool? = nil, file: FileState, note: String? = nil
  ) {
    self.surface = surface
    self.place = place
    self.error = error
    self.message = message
    self.canWriteAfterwards = canWriteAfterwards
    self.file = file
    self.note = note
  }

  /// A store's file, read past the stack.
  public struct FileState: Codable, Sendable, Equatable {
    /// Nil when the file is no database, or there is none.
    public var rowsBefore: Int?
    public var rowsAfter: Int?
    /// What `PRAGMA integrity_check` says: `ok`; or why the file can't be read.
    public var integrity: String
    /// What is in the file beyond counts: `pages 2 (the writer's)`.
    public var detail: String?

    public init(rowsBefore: Int? = nil, rowsAfter: Int? = nil, integrity: String, detail: String? = nil) {
      self.rowsBefore = rowsBefore
      self.rowsAfter = rowsAfter
      self.integrity = integrity
      self.detail = detail
    }
  }
}
