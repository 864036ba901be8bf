import CoreData
import Foundation

// The examples of the module's documentation, as they stand there: see DocumentationTests. What an example takes for
// granted is a parameter.

private func container() throws {
  let container = NSPersistentContainer(name: "Library")
  container.loadPersistentStores { _, error in
    if let error { fatalError("\(error)") }
  }
  let books = try container.viewContext.fetch(Book.fetchRequest())
}

private func context(context: NSManagedObjectContext) throws {
  let book = Book(context: context)
  book.title = "The Dispossessed"
  print(context.hasChanges)  // true
  try context.save()
}

private func fulfil(books: [Book], context: NSManagedObjectContext) throws {
  try context.fulfil(books, relationshipKeyPaths: ["author"])
  for book in books { print(book.title, book.author?.name ?? "") }
}

private func mergePolicy(context: NSManagedObjectContext) throws {
  context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  try context.save()  // each property that this context has changed wins
}

private func modelStoredIn(url: URL) throws {
  let model = try NSManagedObjectModel(storedIn: url)
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(type: .sqlite, at: url)
}

private func coordinator(model: NSManagedObjectModel, url: URL) throws {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(type: .sqlite, at: url)
  let context = NSManagedObjectContext(.mainQueue)
  context.persistentStoreCoordinator = coordinator
}

private func storeDescription(container: NSPersistentContainer, url: URL) {
  let description = NSPersistentStoreDescription(url: url)
  description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  container.persistentStoreDescriptions = [description]
}

private func objectID(book: Book, container: NSPersistentContainer) async throws {
  let id = book.objectID
  try await container.performBackgroundTask { context in
    let book = try context.existingObject(with: id) as? Book
    book?.title = "The Dispossessed"
    try context.save()
  }
}

private func observe(book: Book) {
  let observation = book.observe(\.title, options: [.old, .new]) { book, change in
    print("\(change.oldValue ?? "") is now \(change.newValue ?? "")")
  }
  book.title = "The Dispossessed"
  observation.invalidate()
}

private func queryGeneration(
  context: NSManagedObjectContext, other: NSManagedObjectContext, request: NSFetchRequest<Book>
) throws {
  try context.setQueryGenerationFrom(.current)
  let books = try context.fetch(request)  // pins the context
  try other.setQueryGenerationFrom(context.queryGenerationToken)  // reads the same state
}

private func asynchronousFetch(context: NSManagedObjectContext) throws {
  let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest()) { result in
    print(result.finalResult?.count ?? 0, "books")
  }
  try context.execute(request)
}

private func batchDelete(context: NSManagedObjectContext) throws {
  let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
  old.predicate = NSPredicate(format: "pages == %d", 0)
  try context.execute(NSBatchDeleteRequest(fetchRequest: old))
}

private func batchInsert(context: NSManagedObjectContext, viewContext: NSManagedObjectContext) throws {
  let request = NSBatchInsertRequest(
    entityName: "Book", objects: [["title": "Solaris"], ["title": "Eden"]])
  request.resultType = .objectIDs
  let result = try context.execute(request) as? NSBatchInsertResult
  let changes = [NSInsertedObjectIDsKey: result?.result as? [NSManagedObjectID] ?? []]
  NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [viewContext])
}

private func batchUpdate(context: NSManagedObjectContext) throws {
  let request = NSBatchUpdateRequest(entityName: "Book")
  request.predicate = NSPredicate(format: "pages > %d", 500)
  request.propertiesToUpdate = ["genre": "thick"]
  request.resultType = .updatedObjectsCountResultType
  let result = try context.execute(request) as? NSBatchUpdateResult
  print(result?.result ?? 0)  // how many rows
}

private func fetchRequest(context: NSManagedObjectContext) throws {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "author.name == %@", "Kafka")
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  let books = try context.fetch(request)
}

private func history(context: NSManagedObjectContext, lastToken: inout NSPersistentHistoryToken?) throws {
  let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
  let result = try context.execute(request) as? NSPersistentHistoryResult
  for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
    context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    lastToken = transaction.token
  }
}

private func historyToken(token: NSPersistentHistoryToken) throws {
  let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
  let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
}

final class Book: NSManagedObject {
  @NSManaged var title: String
  @NSManaged var pages: Int32
  @NSManaged var author: Author?
}

final class Author: NSManagedObject {
  @NSManaged var name: String
  @NSManaged var books: Set<Book>

  class func fetchRequest() -> NSFetchRequest<Author> { NSFetchRequest(entityName: "Author") }
}

extension Book {
  class func fetchRequest() -> NSFetchRequest<Book> { NSFetchRequest(entityName: "Book") }
}

private final class PersonPolicy: NSEntityMigrationPolicy {
  func fullName(first: String?, last: String?) -> String { [first, last].compactMap { $0 }.joined(separator: " ") }
}

private func splitNames(in context: NSManagedObjectContext) throws {}

private final class BookList: NSObject, NSFetchedResultsControllerDelegate {
  func fetchedResults(context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [
      NSSortDescriptor(key: "genre", ascending: true), NSSortDescriptor(key: "title", ascending: true),
    ]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "genre", cacheName: nil)
    controller.delegate = self
    try controller.performFetch()
    controller.sections?.count  // how many genres
    controller.object(at: IndexPath(item: 0, section: 0)).title
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    let snapshot = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
    show(snapshot.itemIdentifiers)
  }

  func show(_ books: [NSManagedObjectID]) {}
}

private func object(context: NSManagedObjectContext, author: Author) {
  let book = Book(context: context)
  book.title = "The Dispossessed"
  book.author = author  // author.books has it now
}

private func policyMethods() {
  NSEntityMigrationPolicy.register("fullNameFromFirst:last:", on: PersonPolicy.self) { policy, arguments in
    policy.fullName(first: arguments[0] as? String, last: arguments[1] as? String)
  }
}

private func migrationManager(
  old: NSManagedObjectModel, new: NSManagedObjectModel, mapping: NSMappingModel, url: URL, newURL: URL
) throws {
  let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
  try manager.migrateStore(
    from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
}

private func customStage(version2: NSManagedObjectModelReference, version3: NSManagedObjectModelReference) {
  let stage = NSCustomMigrationStage(migratingFrom: version2, to: version3)
  stage.didMigrateHandler = { manager, _ in
    let context = manager.container!.newBackgroundContext()
    try context.performAndWait {
      try splitNames(in: context)
      try context.save()
    }
  }
}

private func stagedMigration(
  description: NSPersistentStoreDescription, version1: String, version2: String, version4: String,
  splitNames: NSCustomMigrationStage
) {
  let manager = NSStagedMigrationManager([
    NSLightweightMigrationStage([version1, version2]), splitNames, NSLightweightMigrationStage([version4]),
  ])
  description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
}

private func attribute(book: NSEntityDescription) {
  let isbn = NSAttributeDescription()
  isbn.name = "isbn"
  isbn.type = .string
  isbn.isOptional = false
  book.properties.append(isbn)
}

private func entity(model: NSManagedObjectModel, title: NSAttributeDescription, author: NSRelationshipDescription) {
  let book = NSEntityDescription()
  book.name = "Book"
  book.managedObjectClassName = NSStringFromClass(Book.self)
  book.properties = [title, author]
  model.entities.append(book)
}

private func expressionDescription(request: NSFetchRequest<any NSFetchRequestResult>) {
  let average = NSExpressionDescription()
  average.name = "averagePages"
  average.expression = NSExpression(
    forFunction: "average:", arguments: [NSExpression(forKeyPath: "pages")])
  average.expressionResultType = .doubleAttributeType
  request.propertiesToFetch = ["author.name", average]
  request.propertiesToGroupBy = ["author.name"]
  request.resultType = .dictionaryResultType
}

private func model() {
  let book = NSEntityDescription()
  book.name = "Book"
  let title = NSAttributeDescription()
  title.name = "title"
  title.attributeType = .stringAttributeType
  book.properties = [title]
  let model = NSManagedObjectModel()
  model.entities = [book]
}

private func relationship(book: NSEntityDescription, writer: NSEntityDescription, books: NSRelationshipDescription) {
  let author = NSRelationshipDescription()
  author.name = "author"
  author.destinationEntity = writer
  author.maxCount = 1  // to one
  author.inverseRelationship = books
  books.inverseRelationship = author
  book.properties.append(author)
}

private func checkedModel(url: URL) throws {
  let model = try NSManagedObjectModel(checkedContentsOf: url)
  // …/contents:12: error: Book.author: unknown destination entity "Writer"
}

private func fetchExpression(
  request: NSFetchRequest<Book>, authors: NSFetchRequest<Author>, context: NSManagedObjectContext
) {
  let busy = NSFetchRequestExpression.expression(
    forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
    countOnly: false)
  authors.predicate = NSPredicate(format: "SELF IN %@", busy)
}

private func predicateFormat() {
  NSPredicate(format: "%K == %@ AND pages > %d", "author.name", "Le Guin", 200)
}

private func stores(coordinator: NSPersistentStoreCoordinator) {
  for store in coordinator.persistentStores {
    print(store.type, store.url?.lastPathComponent ?? "in memory", store.isReadOnly)
  }
}

private func undo(context: NSManagedObjectContext, book: Book) {
  context.undoManager = UndoManager()
  book.title = "Another title"
  context.processPendingChanges()
  context.undo()  // the title is what it was
}

private func keyPathString() -> NSPredicate {
  let predicate = NSPredicate(format: "%K == %@", (\Book.title)._kvcKeyPathString!, "Solaris")
  return predicate
}

private func brackets(object: NSManagedObject) {
  object["pages"] = 320
  let pages = object["pages"] as? Int  // 320
}

private struct Importer {
  func readHistory() async throws {}
}

private func remoteChanges(importer: Importer) async throws {
  for await _ in NotificationCenter.default.notifications(named: .NSPersistentStoreRemoteChange) {
    try await importer.readHistory()
  }
}

private func folderOfGroup() -> URL? {
  FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.notes")
}
