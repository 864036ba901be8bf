import CoreData

/// Accessors written by hand over primitive ones, as in an application from before they were generated.
class Day: NSManagedObject {
  enum Mood: Int16 { case dull, fair, bright }

  @NSManaged private var primitiveTitle: String?
  @NSManaged private var primitiveMonth: String?
  @NSManaged private var primitiveDate: Date?
  @NSManaged fileprivate var primitiveMood: Int16
  @NSManaged var primitiveWords: NSNumber?
  @NSManaged var primitiveWeight: Double
  @NSManaged var primitiveIsDone: Bool
  @NSManaged var primitiveUid: UUID?
  @NSManaged var primitiveLink: URL?
  @NSManaged var primitivePhoto: Data?
  @NSManaged var primitivePrice: NSDecimalNumber?
  @NSManaged var primitiveTags: [String]?
  @NSManaged private var primitiveLines: NSMutableSet
  @NSManaged var primitiveMarks: NSMutableOrderedSet?

  @NSManaged var words: NSNumber?
  @NSManaged var lines: Set<Line>
  @NSManaged var marks: NSOrderedSet

  @NSManaged func addLinesObject(_ line: Line)
  @NSManaged func removeLinesObject(_ line: Line)
  @NSManaged func addLines(_ lines: NSSet)
  @NSManaged func removeLines(_ lines: Set<Line>)
  @NSManaged func insertObject(_ line: Line, inMarksAtIndex index: Int)
  @NSManaged func removeObjectFromMarksAtIndex(_ index: Int)
  @NSManaged func insertMarks(_ lines: [Line], atIndexes indexes: IndexSet)
  @NSManaged func removeMarksAtIndexes(_ indexes: NSIndexSet)
  @NSManaged func replaceObjectInMarksAtIndex(_ index: Int, withObject line: Line)
  @NSManaged func replaceMarks(at index: Int, with line: Line)

  var title: String? {
    get {
      willAccessValue(forKey: "title")
      defer { didAccessValue(forKey: "title") }
      return primitiveTitle
    }
    set {
      willChangeValue(forKey: "title")
      defer { didChangeValue(forKey: "title") }
      primitiveTitle = newValue?.lowercased()
    }
  }

  var date: Date? {
    get {
      willAccessValue(forKey: "date")
      defer { didAccessValue(forKey: "date") }
      return primitiveDate
    }
    set {
      willChangeValue(forKey: "date")
      primitiveDate = newValue
      didChangeValue(forKey: "date")
      primitiveMonth = nil
    }
  }

  /// Not stored: which section of a list the day belongs in.
  var month: String? {
    willAccessValue(forKey: "month")
    defer { didAccessValue(forKey: "month") }
    if let known = primitiveMonth { return known }
    guard let date = primitiveDate else { return nil }
    let parts = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: date)
    primitiveMonth = String(format: "%d-%02d", parts.year!, parts.month!)
    return primitiveMonth
  }

  var mood: Mood {
    get {
      willAccessValue(forKey: "mood")
      defer { didAccessValue(forKey: "mood") }
      return Mood(rawValue: primitiveMood) ?? .dull
    }
    set {
      willChangeValue(forKey: "mood")
      defer { didChangeValue(forKey: "mood") }
      primitiveMood = newValue.rawValue
    }
  }

  /// Changes what is held first, and has the inverse follow.
  func take(_ line: Line) {
    willChangeValue(forKey: "lines", withSetMutation: .union, using: [line])
    primitiveLines.add(line)
    didChangeValue(forKey: "lines", withSetMutation: .union, using: [line])
  }

  func holdOnly(_ line: Line) { primitiveLines.add(line) }
}

final class Holiday: Day {
  @NSManaged private var primitiveOccasion: String?
  /// The entity has an attribute of this very name, besides `count`.
  @NSManaged var primitiveCount: Int16
  @NSManaged var count: Int16

  var occasion: String {
    get { primitiveOccasion ?? "none" }
    set { primitiveOccasion = newValue }
  }
}

final class Line: NSManagedObject {
  @NSManaged var text: String?
  @NSManaged var day: Day?
}

/// Named in a model by its name alone, and used nowhere else.
final class Footnote: NSManagedObject {
  @NSManaged var text: String?
}
