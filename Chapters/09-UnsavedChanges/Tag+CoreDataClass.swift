import CoreData

/// A word under which recipes are found. One recipe has many, and one tag stands at many recipes.
#if canImport(ObjectiveC)
@objc(Tag)
#endif
public class Tag: NSManagedObject {}
