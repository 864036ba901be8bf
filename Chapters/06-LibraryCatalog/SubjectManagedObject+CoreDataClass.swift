import CoreData

/// What books of the catalogue are about; one object for each name.
#if canImport(ObjectiveC)
@objc(SubjectManagedObject)
#endif
public class SubjectManagedObject: NSManagedObject {}
