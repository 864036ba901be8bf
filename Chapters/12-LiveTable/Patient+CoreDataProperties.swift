import CoreData

//> patient-properties
extension Patient {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Patient> {
    NSFetchRequest<Patient>(entityName: "Patient")
  }

  @NSManaged public var arrival: Date?
  @NSManaged public var complaint: String?
  @NSManaged public var name: String?
  @NSManaged public var room: String?
  /// 1, at once, to 5; see `Urgency`.
  @NSManaged public var urgency: Int16
}
//< patient-properties
