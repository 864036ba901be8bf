/// One moment of a recorded program: what its contexts hold, and the rows of the file.
///
/// A recording is a transcript in which a line in JSON says what it shows, a `StepHeading`, and each later line in JSON
/// is a frame. The SQL between two frames is what ran between them.
public struct StepFrame: Codable, Hashable, Sendable {
  /// What the program has just done, in a sentence to the reader.
  public var caption: String
  public var contexts: [Context]
  public var tables: [Table]

  public init(caption: String, contexts: [Context], tables: [Table]) {
    (self.caption, self.contexts, self.tables) = (caption, contexts, tables)
  }

  /// A context and the objects that it knows.
  public struct Context: Codable, Hashable, Sendable {
    public var name: String
    public var objects: [Object]

    public init(name: String, objects: [Object]) { (self.name, self.objects) = (name, objects) }
  }

  public struct Object: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable {
      case fault, inserted, updated, deleted
      /// No fault, and nothing to save.
      case clean
    }

    public var entity: String
    /// The value of its first shown attribute; nil while that is unknown or nil.
    public var name: String?
    /// The key of its row; nil until it has one.
    public var row: Int?
    public var state: State
    /// What is shown of it; empty for a fault.
    public var values: [Value]

    public init(entity: String, name: String?, row: Int?, state: State, values: [Value]) {
      (self.entity, self.name, self.row, self.state, self.values) = (entity, name, row, state, values)
    }
  }

  public struct Value: Codable, Hashable, Sendable {
    public var key: String
    /// In words: an attribute as it prints, a destination by its name or row, members with commas between them.
    public var text: String
    /// Of a relationship: where it leads, as `Book/1`, or `Book/new Solaris` before there is a row. The text says it in
    /// names, which may become known only later. Nil for an attribute, and for a set that hasn't been read.
    public var destinations: [String]?
    /// Whether the next save writes it, in an object that has a row already.
    public var isChanged: Bool

    public init(key: String, text: String, destinations: [String]? = nil, isChanged: Bool = false) {
      (self.key, self.text, self.destinations, self.isChanged) = (key, text, destinations, isChanged)
    }
  }

  /// A table's shown columns, and its rows in the order of the first of them, as a second connection reads them.
  public struct Table: Codable, Hashable, Sendable {
    public var name: String
    public var columns: [String]
    public var rows: [[String]]

    public init(name: String, columns: [String], rows: [[String]]) {
      (self.name, self.columns, self.rows) = (name, columns, rows)
    }
  }
}

/// The first line of a recording. What the program prints or runs before it is not part of the recording.
public struct StepHeading: Codable, Hashable, Sendable {
  /// What the frames show: "Set one end".
  public var recording: String

  public init(recording: String) { self.recording = recording }
}
