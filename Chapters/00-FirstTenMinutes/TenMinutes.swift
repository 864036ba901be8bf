import CoreData

//> program
/// Lists the books in `file`. If there are none yet, saves one and adds a second.
public func tenMinutes(file: URL, crash: Bool) throws {
  let container = NSPersistentContainer(name: "FirstTenMinutes")
  container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  var failure: (any Error)?
  container.loadPersistentStores { _, error in failure = error }
  if let failure { throw failure }
  let context = container.viewContext

  let found = try context.fetch(Book.fetchRequest())
  print("Books in the file: \(found.count)")
  for book in found { print("  \(book.title ?? "?") by \(book.author?.name ?? "?")") }
  guard found.isEmpty else { return }

  let mary = Author(context: context)
  mary.name = "Mary Shelley"
  let first = Book(context: context)
  first.title = "Frankenstein"
  first.author = mary
  try context.save()
  print("Saved. Mary's books: \(mary.books?.count ?? 0)")

  let second = Book(context: context)
  second.title = "The Last Man"
  second.author = mary
  print("Not saved yet. Mary's books: \(mary.books?.count ?? 0)")
  if crash { kill(getpid(), SIGKILL) }
  try context.save()
}
//< program
