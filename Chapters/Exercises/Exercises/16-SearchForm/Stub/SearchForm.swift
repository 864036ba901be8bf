import CoreData
import ExerciseSupport

/// A search form. A field that is nil was left empty, and asks for nothing.
struct SearchForm {
  var title: String?
  var most: Int64?
  var isInStock = false

  /// The books that fit every field which was filled in.
  func predicate() throws -> NSPredicate {
    // TODO: Title contains the text in any case; the price is at most `most`; and the stock is above 0 if asked for.
    throw Unfinished("the predicate asks for every field that was filled in")
  }
}
