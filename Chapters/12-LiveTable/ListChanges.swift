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
  /// With the values of now; nil for one that went.
  public let row: PatientRow?
  /// A place in the list as it was before the batch.
  public let old: Place?
  /// A place in the list as it is after it.
  public let new: Place?
}

/// What one event did to a list: all that was told between "will change" and "did change".
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
  /// One line for each change, in the order in which they were told. Rows that went have no
  /// values any more: `before` is the list in which they still were.
  public func lines(before: ShownList) -> [String] {
    sections.map { "\($0.type.word) section \($0.index), \(Urgency.title(ofSection: $0.name))" }
      + rows.map { change in
        let name = change.row?.name ?? change.old.flatMap { before[$0]?.name } ?? "?"
        let places = [change.old, change.new].compactMap { $0?.description }
        // Of most updates nothing is told by saying the place twice.
        let path =
          change.type == .update && change.old == change.new
          ? places[0] : places.joined(separator: " -> ")
        return "\(change.type.word) \(path) \(name)"
      }
  }
}
