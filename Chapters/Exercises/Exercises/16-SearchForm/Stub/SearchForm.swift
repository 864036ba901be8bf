import CoreData
import ExerciseSupport

/// A search form. A field that is nil was left empty, and asks for nothing.
struct SearchForm {
  var title: String?
  var most: Int64?
  var isInStock = false

  /// The books that fit every field which was filled in.
  func predicate() throws -> NSPredicate {
    // TODO: Join what was filled in: title contains the text, whatever its case and accents; price at most `most`;
    // stock above 0.
    throw Unfinished("the predicate asks for every field that was filled in")
  }
}
