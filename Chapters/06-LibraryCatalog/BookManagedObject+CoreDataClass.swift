import CoreData

/// A book of the catalogue, of the entity `Book`. The class has the longer name, which leaves the short one free
/// for a value.
#if canImport(ObjectiveC)
@objc(BookManagedObject)
#endif
public class BookManagedObject: NSManagedObject {}
