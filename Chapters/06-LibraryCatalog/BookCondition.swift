import CoreData

/// A condition that a reader typed, in the language of predicates, over the keys of the model's Book:
/// `firstPublished < 1850 AND ANY authors.name ENDSWITH[cd] "bronte"`.
public struct BookCondition: Equatable {
  /// What is wrong with a condition.
  public struct Unfit: LocalizedError {
    public let errorDescription: String?
    /// The text with a mark under the place, if it could not be read; else nil.
    public let picture: String?
  }

  public let predicate: NSPredicate

  //> condition
  /// Reads `text`; throws if it is not a predicate.
  public init(_ text: String) throws {
    do {
      predicate = try NSPredicate.parsing(text)
    } catch {
      // The error's first line is a sentence, the others show the place.
      let lines = error.localizedDescription.split(separator: "\n", maxSplits: 1).map(String.init)
      throw Unfit(errorDescription: lines[0], picture: lines.count > 1 ? lines[1] : nil)
    }
  }
  //< condition

  /// Runs `body`, which asks a store for this condition. The store refuses a key that no book has, and lists
  /// the properties; the error thrown here lists `authors.name` where the store has `authors`.
  func asking<Answer>(
    _ context: NSManagedObjectContext, _ body: () throws -> Answer
  ) throws -> Answer {
    do {
      return try body()
    } catch  where error.localizedDescription.hasPrefix("keypath") {
      let model = context.persistentStoreCoordinator?.managedObjectModel
      let keys = (model?.entitiesByName["Book"]?.propertiesByName ?? [:])
        .map { $0.value is NSRelationshipDescription ? "\($0.key).name" : $0.key }
        .sorted().joined(separator: ", ")
      let sentence = error.localizedDescription.components(separatedBy: " It has ")[0]
      throw Unfit(errorDescription: "\(sentence) A book has: \(keys).", picture: nil)
    }
  }
}
