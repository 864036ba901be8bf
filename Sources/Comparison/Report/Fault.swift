/// Something that is made to go wrong.
public struct Fault: Codable, Sendable, Equatable {
  public var id: String
  /// A few words: `the file is not a store`.
  public var title: String
  /// How it is brought about, in a sentence or two.
  public var explanation: String

  public init(id: String, title: String, explanation: String) {
    self.id = id
    self.title = title
    self.explanation = explanation
  }
}

/// What happened when a set-up met a fault. It was observed in a process of its own, and in the file that the process
/// left.
public struct FaultOutcome: Codable, Sendable, Equatable {
  /// How the failure came to light.
  public enum Surface: String, Codable, Sendable, CaseIterable {
    /// A call threw the error.
    case thrown
    /// A completion handler received the error.
    case handler
    /// A property holds the error. Code that doesn't read it never learns of the error.
    case property
    /// Only a message on standard error mentions it.
    case log
    /// The process ended, by a trap or a signal.
    case ended
    /// Nothing failed.
    case none
    /// The fault can't occur in this set-up.
    case notApplicable
  }

  public var surface: Surface
  /// The call, handler or property that showed it, or the signal: `CoreDataStack.loadingFailure`, `saveContext()`,
  /// `SIGILL`. Empty if there is none.
  public var place: String
  /// The error's domain and code, `NSCocoaErrorDomain 259`; nil if there was no error.
  public var error: String?
  /// The text that a person would read: the error's description, or a line of standard error if the process ended or
  /// only logged. Nil if there is none, as when arithmetic traps in a release build.
  public var message: String?
  /// Whether the program could write afterwards without a restart; nil if the process ended.
  public var canWriteAfterwards: Bool?
  /// The store's file or tables afterwards, read through an independent connection.
  public var file: FileState
  /// Another observation, or the reason why the fault doesn't apply.
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

  /// The content of a store's file, read without Core Data.
  public struct FileState: Codable, Sendable, Equatable {
    /// Nil if the file is missing or not a database.
    public var rowsBefore: Int?
    public var rowsAfter: Int?
    /// The answer of `PRAGMA integrity_check`, `ok` if all is well; or why the file can't be read. For a store on a
    /// server, `ok` if all rows can be read.
    public var integrity: String
    /// A detail of the content: `pages 2 (the writer's)`.
    public var detail: String?

    public init(rowsBefore: Int? = nil, rowsAfter: Int? = nil, integrity: String, detail: String? = nil) {
      self.rowsBefore = rowsBefore
      self.rowsAfter = rowsAfter
      self.integrity = integrity
      self.detail = detail
    }
  }
}
