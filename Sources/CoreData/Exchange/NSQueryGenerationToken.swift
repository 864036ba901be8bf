/// Stands for one state of a coordinator's stores. You get it from ``NSManagedObjectContext/queryGenerationToken`` and
/// pass it to ``NSManagedObjectContext/setQueryGenerationFrom(_:)``.
///
///     try context.setQueryGenerationFrom(.current)
///     let books = try context.fetch(request)           // pins the context
///     try other.setQueryGenerationFrom(context.queryGenerationToken)   // reads the same state
///
/// A token does not keep its generation alive: that ends when the last context pinned to it moves on or is freed. You
/// may archive a token, but it can only be used in the process that made it. Immutable; any thread.
nonisolated open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding {
  /// The process that made the token, and the number of the generation in it; empty and 0 for ``current``.
  let process: String
  let number: Int

  init(number: Int, process: String = NSQueryGenerationToken.ownProcess) {
    self.number = number
    self.process = process
  }

  static let ownProcess = UUID().uuidString
  private static let shared = NSQueryGenerationToken(number: 0, process: "")

  /// Asks for the newest generation. The context is pinned to it at its next read.
  open class var current: NSQueryGenerationToken { shared }

  var isCurrent: Bool { number == 0 }

  /// The token itself: tokens are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two tokens stand for one generation of one process.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSQueryGenerationToken else { return false }
    return number == other.number && process == other.process
  }

  /// A hash of the generation's number.
  open override var hash: Int { number }

  /// The generation's number, for logs.
  open override var description: String {
    isCurrent ? "<current query generation>" : "<query generation \(number)>"
  }

  // Archiving.

  /// True: a token holds a string and a number.
  public static var supportsSecureCoding: Bool { true }

  /// A token from an archive; nil if the archive has none. Pinning a context to a token of another process throws an
  /// error.
  public required init?(coder: NSCoder) {
    guard let process = coder.decodeObject(of: NSString.self, forKey: "process") else { return nil }
    self.process = String(describing: process)
    number = coder.decodeInteger(forKey: "number")
  }

  /// Writes the process and the generation's number.
  open func encode(with coder: NSCoder) {
    coder.encode(process as NSString, forKey: "process")
    coder.encode(number, forKey: "number")
  }
}
