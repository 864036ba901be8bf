import CoreData

/// One temperature, of one station at one time. There is at most one for each station and time.
#if canImport(ObjectiveC)
@objc(Reading)
#endif
public class Reading: NSManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Reading> {
    NSFetchRequest<Reading>(entityName: "Reading")
  }

  //> reading-properties
  /// -90 to 60 degrees.
  @NSManaged public var celsius: Double
  @NSManaged public var isChecked: Bool
  /// As the archive has it; `station` is what it names, once somebody has looked it up.
  @NSManaged public var stationCode: String?
  @NSManaged public var time: Date?
  @NSManaged public var station: Station?
  @NSManaged public var remarks: NSSet?
  //< reading-properties

  //> will-save
  /// The thermometers are good for one decimal place.
  public override func willSave() {
    super.willSave()
    let rounded = (celsius * 10).rounded() / 10
    // Setting it calls this method again, so only what differs is set.
    if rounded != celsius { celsius = rounded }
  }
  //< will-save
}

/// What somebody wrote about a reading. It goes when the reading goes.
#if canImport(ObjectiveC)
@objc(Remark)
#endif
public class Remark: NSManagedObject {
  @NSManaged public var text: String?
  @NSManaged public var reading: Reading?
}
