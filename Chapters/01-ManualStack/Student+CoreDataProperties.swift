import CoreData

//> student-properties
extension Student {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Student> {
    NSFetchRequest<Student>(entityName: "Student")
  }

  @NSManaged public var studentName: String?
  @NSManaged public var studentAge: Int16
  @NSManaged public var studentId: Int16
}
//< student-properties
