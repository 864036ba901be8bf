import CoreData

/// Somebody who wrote books of the catalogue; one object for each name.
#if canImport(ObjectiveC)
@objc(AuthorManagedObject)
#endif
public class AuthorManagedObject: NSManagedObject {}
