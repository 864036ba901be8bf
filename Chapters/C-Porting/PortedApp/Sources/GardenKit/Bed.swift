import CoreData
import Foundation

#if canImport(ObjectiveC)
@objc(Bed)
#endif
public final class Bed: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var plants: NSSet?

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Bed> {
    NSFetchRequest<Bed>(entityName: "Bed")
  }
}

//> accessors
extension Bed {
  #if canImport(ObjectiveC)
  @objc(addPlantsObject:)
  #endif
  @NSManaged public func addToPlants(_ value: Plant)

  #if canImport(ObjectiveC)
  @objc(removePlantsObject:)
  #endif
  @NSManaged public func removeFromPlants(_ value: Plant)

  /// The plants as Swift has them. `Set<Plant>.init` takes no `NSSet` on Linux; a cast does it.
  public var plantSet: Set<Plant> { plants as? Set<Plant> ?? [] }
}
//< accessors

extension Bed {
  public enum Key: String, CaseIterable {
    case name, plants
  }
}
