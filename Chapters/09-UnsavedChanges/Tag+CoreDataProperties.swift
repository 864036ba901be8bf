import CoreData

extension Tag {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Tag> {
    NSFetchRequest<Tag>(entityName: "Tag")
  }

  @NSManaged public var name: String?
  @NSManaged public var recipes: NSSet?
}
