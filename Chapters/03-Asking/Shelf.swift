import CoreData

/// The stack of chapter 1 in a dozen lines, with twelve books in it.
///
/// Use it, its context and its books on the main queue.
public final class Shelf {
  public static let storeName = "Asking.sqlite"

  public let url: URL
  public let context: NSManagedObjectContext
  private let coordinator: NSPersistentStoreCoordinator

  /// Opens the shelf in `folder`. A new one gets its twelve books.
  public init(folder: URL) throws {
    guard let file = Bundle.main.url(forResource: "Asking", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: file)
    else { fatalError("The model Asking.momd is not among the program's resources.") }
    url = folder.appendingPathComponent(Self.storeName)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    if try context.count(for: Book.fetchRequest()) == 0 { try fill() }
  }

  public var model: NSManagedObjectModel { coordinator.managedObjectModel }

  /// Does `work` with a second stack over the same file. It has read nothing yet, so all that it needs comes from the
  /// file.
  ///
  /// - Parameter opening: Adds the store by the closure that it is handed.
  public func inNewStack<Answer>(
    opening: (() throws -> Void) throws -> Void = { try $0() },
    _ work: (NSManagedObjectContext) throws -> Answer
  ) throws -> Answer {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try opening {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    }
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try withExtendedLifetime(context) { try work(context) }
  }

  public func author(_ name: String) throws -> Author {
    let request = Author.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", name)
    guard let author = try context.fetch(request).first else { throw CocoaError(.validationMissingMandatoryProperty) }
    return author
  }

  /// All books with what belongs to them, a row of texts each.
  public func table() throws -> [[String]] {
    let request = Book.fetchRequest()
    request.sortDescriptors = ["year", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
    return try context.fetch(request).map(cells)
  }

  private func cells(_ book: Book) -> [String] {
    let tags = (book.tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
    let reviews = (book.reviews as? Set<Review> ?? []).map { "\($0.reviewer ?? "") \($0.stars)" }.sorted()
    return [
      book.title ?? "", book.author?.name ?? "-", book.year?.stringValue ?? "-", "\(book.pages)",
      "\(book.price ?? 0)", tags.joined(separator: " "), reviews.joined(separator: ", "),
    ]
  }

  /// Closes the file. The context can't be used afterwards.
  public func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  private func fill() throws {
    var authors: [String: Author] = [:]
    var tags: [String: Tag] = [:]
    for item in ShelfBook.all {
      let book = Book(context: context)
      book.title = item.title
      book.year = item.published.map { NSNumber(value: ShelfBook.calendar.component(.year, from: $0)) }
      book.pages = item.pages
      book.price = NSDecimalNumber(string: item.price)
      book.published = item.published
      if let writer = item.writer {
        let author = authors[writer.name] ?? Author(context: context)
        author.name = writer.name
        author.born = writer.born
        authors[writer.name] = author
        book.author = author
      }
      for name in item.tags {
        let tag = tags[name] ?? Tag(context: context)
        tag.name = name
        tags[name] = tag
        book.addToTags(tag)
      }
      for (reviewer, stars) in item.reviews {
        let review = Review(context: context)
        review.reviewer = reviewer
        review.stars = stars
        review.book = book
      }
      // One at a time, so that the keys in the file are in this order on every run.
      try context.save()
    }
  }
}
