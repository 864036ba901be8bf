import CoreData

public class Tag: NSManagedObject {
  @NSManaged public var number: Int32
  @NSManaged public var volumes: Set<Volume>?

  @NSManaged public func addToVolumes(_ value: Volume)
  @NSManaged public func removeFromVolumes(_ value: Volume)

  public class func fetchRequest() -> NSFetchRequest<Tag> {
    NSFetchRequest<Tag>(entityName: "Tag")
  }
}
