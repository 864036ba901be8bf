import CoreData

/// A row of the table: values, so that it can be shown without the object, and the id to find
/// that by.
public struct PatientRow: Equatable {
  public let id: NSManagedObjectID
  public let name: String
  public let complaint: String
  /// `08:05`.
  public let arrival: String
  public let room: String?

  public init(_ patient: Patient, in zone: TimeZone) {
    id = patient.objectID
    name = patient.name ?? ""
    complaint = patient.complaint ?? ""
    arrival = patient.arrival.map { Self.time($0, in: zone) } ?? ""
    room = patient.room
  }

  private static func time(_ date: Date, in zone: TimeZone) -> String {
    let minutes =
      (Int(date.timeIntervalSince1970) + zone.secondsFromGMT(for: date)) / 60 % (24 * 60)
    let (hour, minute) = (minutes / 60, minutes % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }
}

/// What the screen shows, and knows without the controller. It changes by what is told alone.
public struct ShownList: Equatable {
  public struct Section: Equatable {
    public let name: String
    public var rows: [PatientRow]

    public init(name: String, rows: [PatientRow] = []) {
      self.name = name
      self.rows = rows
    }
  }

  public private(set) var sections: [Section]

  public init(_ sections: [Section] = []) { self.sections = sections }

  public var rows: [PatientRow] { sections.flatMap(\.rows) }

  /// The row at a place; nil if there is none.
  public subscript(place: Place) -> PatientRow? {
    guard sections.indices.contains(place.section),
      sections[place.section].rows.indices.contains(place.item)
    else { return nil }
    return sections[place.section].rows[place.item]
  }

  //> replay
  /// Applies the batch. First remove what leaves, by old places, from the last to the first. Then
  /// insert what comes, by new places, from the first to the last. A row that moves does both.
  public mutating func apply(_ batch: ListBatch) {
    let leaving = batch.rows.filter { $0.type == .delete || $0.type == .move }.compactMap(\.old)
    for place in leaving.sorted(by: >) { sections[place.section].rows.remove(at: place.item) }

    let (gone, new) = (
      batch.sections.filter { $0.type == .delete }, batch.sections.filter { $0.type == .insert }
    )
    for change in gone.sorted(by: { $0.index > $1.index }) { sections.remove(at: change.index) }
    for change in new.sorted(by: { $0.index < $1.index }) {
      sections.insert(Section(name: change.name), at: change.index)
    }

    let coming = batch.rows.filter { $0.type == .insert || $0.type == .move }
    for change in coming.sorted(by: { $0.new! < $1.new! }) {
      sections[change.new!.section].rows.insert(change.row!, at: change.new!.item)
    }
    // From here on, every place is one in the new list.
    for change in batch.rows where change.type == .update {
      sections[change.new!.section].rows[change.new!.item] = change.row!
    }
  }
  //< replay

  //> replay-wrong
  /// The wrong way: each change by itself, in the order in which they arrived.
  ///
  /// - Throws: At the first change whose place isn't there.
  public mutating func applyOneByOne(_ batch: ListBatch) throws {
    for change in batch.sections {
      switch change.type {
      case .delete: sections.remove(at: change.index)
      default: sections.insert(Section(name: change.name), at: change.index)
      }
    }
    for change in batch.rows {
      if let old = change.old {
        guard self[old] != nil else { throw NoSuchPlace(place: old) }
        sections[old.section].rows.remove(at: old.item)
      }
      if let new = change.new, let row = change.row {
        guard sections.indices.contains(new.section),
          new.item <= sections[new.section].rows.count
        else { throw NoSuchPlace(place: new) }
        sections[new.section].rows.insert(row, at: new.item)
      }
    }
  }
  //< replay-wrong
}

/// A change that doesn't fit the list it is applied to.
public struct NoSuchPlace: Error, CustomStringConvertible {
  public let place: Place

  public var description: String { "There is no row at \(place)." }
}
