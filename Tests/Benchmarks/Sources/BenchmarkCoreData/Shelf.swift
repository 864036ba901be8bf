import CoreData

public class Shelf: NSManagedObject {
  @NSManaged public var number: Int32
  @NSManaged public var volumes: NSOrderedSet?

  @NSManaged public func addToVolumes(_ value: Volume)

  public class func fetchRequest() -> NSFetchRequest<Shelf> {
    NSFetchRequest<Shelf>(entityName: "Shelf")
  }
}
