import CoreData

/// A place in a list of sections; in the text of a change `section.item`, both from 0.
public struct Place: Comparable, CustomStringConvertible, Sendable {
  public let section: Int
  public let item: Int

  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  init(_ path: IndexPath) { self.init(section: path.section, item: path.item) }

  public static func < (a: Place, b: Place) -> Bool {
    (a.section, a.item) < (b.section, b.item)
  }

  public var description: String { "\(section).\(item)" }
}

//> changes
/// A section that came or went.
public struct SectionChange {
  public let type: NSFetchedResultsChangeType
  public let name: String
  public let index: Int
}

/// A row that came (`new`), went (`old`), moved or was updated (both).
public struct RowChange {
  public let type: NSFetchedResultsChangeType
  /// With its present values; nil for a row that went.
  public let row: PatientRow?
  /// Its place in the list before the batch.
  public let old: Place?
  /// Its place in the list after the batch.
  public let new: Place?
}

/// What one event did to a list: everything between "will change" and "did change".
public struct ListBatch {
  public var sections: [SectionChange] = []
  public var rows: [RowChange] = []
}
//< changes

extension NSFetchedResultsChangeType {
  public var word: String {
    switch self {
    case .insert: "insert"
    case .delete: "delete"
    case .move: "move"
    case .update: "update"
    }
  }
}

extension ListBatch {
  /// One line for each change, in the order in which they were told. Rows that
  /// went have no values now; `before` is the list that still has them.
  public func lines(before: ShownList) -> [String] {
    sections.map { "\($0.type.word) section \($0.index), \(Urgency.title(ofSection: $0.name))" }
      + rows.map { change in
        let name = change.row?.name ?? change.old.flatMap { before[$0]?.name } ?? "?"
        let places = [change.old, change.new].compactMap { $0?.description }
        // For most updates, naming the place twice would say nothing.
        let path =
          change.type == .update && change.old == change.new
          ? places[0] : places.joined(separator: " -> ")
        return "\(change.type.word) \(path) \(name)"
      }
  }
}
