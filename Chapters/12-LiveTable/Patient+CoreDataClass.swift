import CoreData

/// Somebody who waits to be seen.
#if canImport(ObjectiveC)
@objc(Patient)
#endif
public class Patient: NSManagedObject {}
