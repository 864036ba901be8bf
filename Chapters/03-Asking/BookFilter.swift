import CoreData

//> filter
/// A search form. A field that is empty asks for nothing.
public struct BookFilter {
  public var words = ""
  public var before: Int?
  public var tags: [String] = []

  public init() {}

  public var predicate: NSPredicate {
    var parts: [NSPredicate] = []
    if !words.isEmpty { parts.append(NSPredicate(format: "title CONTAINS[cd] %@", words)) }
    if let before { parts.append(NSPredicate(format: "year < %ld", before)) }
    for tag in tags { parts.append(NSPredicate(format: "ANY tags.name == %@", tag)) }
    return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }
}
//< filter
