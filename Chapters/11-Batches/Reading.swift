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
  /// As the archive has it. `station` is the object of this code, once it has been looked up.
  @NSManaged public var stationCode: String?
  @NSManaged public var time: Date?
  @NSManaged public var station: Station?
  @NSManaged public var remarks: NSSet?
  //< reading-properties

  //> will-save
  /// Rounds: the thermometers are good for one decimal place.
  public override func willSave() {
    super.willSave()
    let rounded = (celsius * 10).rounded() / 10
    // Setting `celsius` calls this method again, so it sets only a value that differs.
    if rounded != celsius { celsius = rounded }
  }
  //< will-save
}

/// A note about a reading. It is deleted with its reading.
#if canImport(ObjectiveC)
@objc(Remark)
#endif
public class Remark: NSManagedObject {
  @NSManaged public var text: String?
  @NSManaged public var reading: Reading?
}
