import CoreData

/// The chapter's books, written into a context and not yet saved.
public struct Library {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  @discardableResult
  public func author(_ name: String) -> Author {
    let author = Author(context: context)
    author.name = name
    return author
  }

  @discardableResult
  public func book(_ title: String, _ year: Int16, pages: Int32, by author: Author? = nil) -> Book {
    let book = Book(context: context)
    book.title = title
    book.year = year
    book.pages = pages
    book.author = author
    return book
  }

  @discardableResult
  public func tag(_ name: String, on books: [Book] = []) -> Tag {
    let tag = Tag(context: context)
    tag.name = name
    for book in books { tag.addToBooks(book) }
    return tag
  }

  @discardableResult
  public func review(_ book: Book, stars: Int16, _ text: String? = nil) -> Review {
    let review = Review(context: context)
    review.stars = stars
    review.text = text
    review.book = book
    return review
  }

  @discardableResult
  public func list(_ name: String, _ books: [Book]) -> ReadingList {
    let list = ReadingList(context: context)
    list.name = name
    for book in books { list.addToBooks(book) }
    return list
  }

  /// Five authors, nine books (one of them without an author), five tags, seven reviews, and two reading lists.
  public func fill() {
    let leGuin = author("Ursula K. Le Guin")
    let lem = author("Stanisław Lem")
    let calvino = author("Italo Calvino")
    let shelley = author("Mary Shelley")
    author("Harper Lee")

    let wizard = book("A Wizard of Earthsea", 1968, pages: 205, by: leGuin)
    let leftHand = book("The Left Hand of Darkness", 1969, pages: 286, by: leGuin)
    let dispossessed = book("The Dispossessed", 1974, pages: 341, by: leGuin)
    let solaris = book("Solaris", 1961, pages: 204, by: lem)
    let cyberiad = book("The Cyberiad", 1965, pages: 295, by: lem)
    let cities = book("Invisible Cities", 1972, pages: 165, by: calvino)
    let traveller = book("If on a winter's night a traveller", 1979, pages: 260, by: calvino)
    let frankenstein = book("Frankenstein", 1818, pages: 280, by: shelley)
    let beowulf = book("Beowulf", 1815, pages: 213)

    tag("science fiction", on: [leftHand, dispossessed, solaris, cyberiad, frankenstein])
    tag("fantasy", on: [wizard, beowulf])
    tag("classic", on: [wizard, leftHand, frankenstein, beowulf])
    tag("short stories", on: [cyberiad, cities])
    tag("cookery")

    review(wizard, stars: 5, "Read it aloud.")
    review(leftHand, stars: 5, "Cold, and warm.")
    review(leftHand, stars: 3)
    review(solaris, stars: 4, "The ocean is the best character.")
    review(cyberiad, stars: 5, "The poem alone!")
    review(frankenstein, stars: 2, "Not the film.")
    review(frankenstein, stars: 4)

    list("Summer", [solaris, wizard, cities])
    list("Winter", [traveller, solaris])
  }
}
