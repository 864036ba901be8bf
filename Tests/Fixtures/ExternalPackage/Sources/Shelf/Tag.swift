import CoreData

/// Category/Extension: the class by hand, the properties generated.
public class Tag: NSManagedObject {}
