import CoreData
import ExerciseSupport

/// Takes one copy from the stock of a book, and saves. Tills sell at the same time, each with a context of its own.
func sellCopy(of book: Book, in context: NSManagedObjectContext) throws {
  // What matters: "one less" is no value that a policy could choose. The save has to fail, so that it is worked out
  // again from what is stored now.
  //= context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  context.mergePolicy = NSMergePolicy.error
  while true {
    book.stock -= 1
    do {
      return try context.save()
    } catch let error as NSError where error.code == NSManagedObjectMergeError {
      context.refresh(book, mergeChanges: false)
    }
  }
}
