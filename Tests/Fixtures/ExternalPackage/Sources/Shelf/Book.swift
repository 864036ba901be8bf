import Colours
import CoreData

/// A status that only this module knows.
enum ReadingState: Int16 {
  case new, begun, done
}

/// Manual/None: written by hand, as for Xcode.
public class Book: NSManagedObject {
  @NSManaged public var title: String?
  @NSManaged public var title2: String!
  @NSManaged public var isRead: Bool
  @NSManaged public var pages: Int32
  @NSManaged public var rating: Double
  @NSManaged public var weight: Float
  @NSManaged public var mood: Mood
  @NSManaged var state: ReadingState
  @NSManaged private var secret: String?

  public func hide(_ text: String) {
    secret = text
    state = .begun
  }

  public var revealed: String { "\(secret ?? "-") \(state)" }
}
