import CoreData
import ExerciseSupport

/// Puts a book at the top of a reading list; if it is on the list already, it moves there. Doesn't save.
func putFirst(_ book: Book, in list: ReadingList) throws {
  let books = list.mutableOrderedSetValue(forKey: "books")
  let place = books.index(of: book)
  if place == NSNotFound {
    books.insert(book, at: 0)
  } else {
    // What matters: to insert what is there already changes nothing. An ordered set has each member once.
    //= books.insert(book, at: 0)
    books.moveObjects(at: [place], to: 0)
  }
}
