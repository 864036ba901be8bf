import CoreData
import Foundation

//> plant
#if canImport(ObjectiveC)
@objc(Plant)
#endif
public final class Plant: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var height: Double
  @NSManaged public var sownAt: Date?
  @NSManaged public var bed: Bed?

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Plant> {
    NSFetchRequest<Plant>(entityName: "Plant")
  }
}
//< plant

//> keys
extension Plant {
  /// The names of the properties, for predicates and sort descriptors. They replace `#keyPath`,
  /// which needs Objective-C. A test compares them with the model.
  public enum Key: String, CaseIterable {
    case name, height, sownAt, bed
  }
}
//< keys
