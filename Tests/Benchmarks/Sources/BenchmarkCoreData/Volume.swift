import CoreData

public class Volume: NSManagedObject {
  @NSManaged public var isbn: String
  @NSManaged public var number: Int32
  @NSManaged public var title: String
  @NSManaged public var shelf: Shelf?
  @NSManaged public var tags: Set<Tag>?

  @NSManaged public func addToTags(_ value: Tag)
  @NSManaged public func removeFromTags(_ value: Tag)

  public class func fetchRequest() -> NSFetchRequest<Volume> {
    NSFetchRequest<Volume>(entityName: "Volume")
  }
}
