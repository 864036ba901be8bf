import CoreData

/// A book of the catalogue. The entity is `Book`; the class has the longer name, so that `Book` is left for
/// a value.
#if canImport(ObjectiveC)
@objc(BookManagedObject)
#endif
public class BookManagedObject: NSManagedObject {}
