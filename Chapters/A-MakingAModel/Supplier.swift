import CoreData

//> supplier
/// Codegen Category/Extension: the class is yours, its properties are generated.
public class Supplier: NSManagedObject {
  public var greeting: String { "\(name ?? "unknown"), \(teaCount) teas" }
}
//< supplier
