import CoreData
import ExerciseSupport

/// A search form. A field that is nil was left empty, and asks for nothing.
struct SearchForm {
  var title: String?
  var most: Int64?
  var isInStock = false

  /// The books that fit every field which was filled in.
  func predicate() throws -> NSPredicate {
    var parts: [NSPredicate] = []
    if let title { parts.append(NSPredicate(format: "title CONTAINS[cd] %@", title)) }
    if let most { parts.append(NSPredicate(format: "price <= %ld", Int(most))) }
    if isInStock { parts.append(NSPredicate(format: "stock > 0")) }
    // What matters: AND of no parts is true, so an empty form finds all books. OR of no parts is false.
    //= return NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
  }
}
