import CoreData

/// One line of one producer, with its number among that producer's lines.
#if canImport(ObjectiveC)
@objc(Entry)
#endif
public class Entry: NSManagedObject {
  @NSManaged public var producer: Int32
  @NSManaged public var sequence: Int32
}

/// A total that all producers add to: the row over which writers quarrel.
#if canImport(ObjectiveC)
@objc(Tally)
#endif
public class Tally: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var total: Int64

  //> tally
  /// The tally of that name in `context`; makes one if there is none.
  public static func named(_ name: String, in context: NSManagedObjectContext) throws -> Tally {
    let request = NSFetchRequest<Tally>(entityName: "Tally")
    request.predicate = NSPredicate(format: "name == %@", name)
    if let tally = try context.fetch(request).first { return tally }
    let tally = Tally(context: context)
    tally.name = name
    return tally
  }
  //< tally
}
