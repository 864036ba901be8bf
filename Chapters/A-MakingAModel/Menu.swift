import CoreData

//> menu
/// Codegen Manual/None: you write everything.
public class Menu: NSManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Menu> {
    NSFetchRequest<Menu>(entityName: "Menu")
  }

  @NSManaged public var title: String?
  @NSManaged public var teas: NSOrderedSet?
}
//< menu
