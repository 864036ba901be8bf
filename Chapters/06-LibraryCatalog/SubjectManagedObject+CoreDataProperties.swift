import CoreData

extension SubjectManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<SubjectManagedObject> {
    NSFetchRequest<SubjectManagedObject>(entityName: "Subject")
  }

  @NSManaged public var name: String?
  @NSManaged public var books: NSSet?
}
