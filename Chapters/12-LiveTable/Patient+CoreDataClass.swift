import CoreData

/// A patient in the waiting room.
#if canImport(ObjectiveC)
@objc(Patient)
#endif
public class Patient: NSManagedObject {}
