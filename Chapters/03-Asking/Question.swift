import CoreData

//> question
/// A question about the shelf: in English, and as a predicate over books.
public struct Question {
  public let text: String
  /// The predicate as the source has it; nil if it comes from elsewhere than a format.
  public let format: String?
  public let predicate: NSPredicate

  init(_ text: String, _ format: String, _ arguments: Any...) {
    self.text = text
    self.format = format
    predicate = NSPredicate(format: format, argumentArray: arguments)
  }
  //< question

  public init(_ text: String, _ predicate: NSPredicate) {
    self.text = text
    self.predicate = predicate
    format = nil
  }

  //> request
  /// All books that meet the predicate, the oldest first.
  public var request: NSFetchRequest<Book> {
    let request = Book.fetchRequest()
    request.predicate = predicate
    request.sortDescriptors = [
      NSSortDescriptor(key: "year", ascending: true),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    return request
  }
  //< request
}

extension Question {
  /// A search form as a question.
  public init(_ text: String, _ filter: BookFilter) { self.init(text, filter.predicate) }

  public static func called(_ title: String) -> Question {
    Question("", "title == %@", title)
  }

  //> greatest
  /// - Parameter key: One of your own list of keys, never what someone typed.
  public static func greatest(_ key: String, than value: Int) -> Question {
    Question("\(key) above \(value)", "%K > %ld", key, value)
  }
  //< greatest

  /// For questions that are wrong on purpose.
  public static func broken(_ format: String) -> Question { Question("", format) }
}
