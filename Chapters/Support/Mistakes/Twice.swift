import CoreData

public class Book: NSManagedObject {
  @NSManaged public var title: String?
}

public class Author: NSManagedObject {
  @NSManaged public var name: String?
}

public class Review: NSManagedObject {
  @NSManaged public var stars: Int64
  @NSManaged public var txt: String?
}
