import CoreData

/// A place with a thermometer. It can't be deleted while it has readings.
#if canImport(ObjectiveC)
@objc(Station)
#endif
public class Station: NSManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Station> {
    NSFetchRequest<Station>(entityName: "Station")
  }

  @NSManaged public var code: String?
  @NSManaged public var name: String?
  @NSManaged public var readings: NSSet?
  @NSManaged public var visits: NSSet?
}

/// A technician came to look after the thermometer. The list of visits stays, whatever becomes of the station.
#if canImport(ObjectiveC)
@objc(Visit)
#endif
public class Visit: NSManagedObject {
  @NSManaged public var technician: String?
  @NSManaged public var station: Station?
}
