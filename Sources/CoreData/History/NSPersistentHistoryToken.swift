/// A place in the history of a coordinator's stores: what has happened up to a transaction.
///
/// Keep the token of the last transaction that was taken over, and ask for what came after it:
///
///     let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
///     let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
///
/// Tokens of one store are of use in every program that opens it. Immutable; any thread.
nonisolated open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  /// The numbers of the last transactions, by the stores' UUIDs.
  let numbers: [String: Int64]

  init(_ numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// The token itself: tokens are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two tokens stand for the same place in the same stores.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  /// Of the stores and the places in them.
  open override var hash: Int { numbers.hashValue }

  /// The stores' UUIDs and the numbers of transactions, for logs.
  open override var description: String {
    let places = numbers.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    return "<NSPersistentHistoryToken \(places.joined(separator: ", "))>"
  }

  // Archiving.

  /// True: a token holds strings and numbers.
  public static var supportsSecureCoding: Bool { true }

  /// A token from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    let classes = [NSDictionary.self, NSString.self, NSNumber.self]
    guard let dictionary = coder.decodeObject(of: classes, forKey: "numbers") as? NSDictionary else { return nil }
    var numbers: [String: Int64] = [:]
    for (key, value) in dictionary {
      guard let uuid = key as? String, let number = value as? NSNumber else { return nil }
      numbers[uuid] = number.int64Value
    }
    self.numbers = numbers
    super.init()
  }

  /// Writes the numbers of the last transactions by the stores' UUIDs.
  open func encode(with coder: NSCoder) {
    let dictionary = NSMutableDictionary()
    for (uuid, number) in numbers { dictionary.setObject(NSNumber(value: number), forKey: uuid as NSString) }
    coder.encode(dictionary, forKey: "numbers")
  }
}

extension NSPersistentHistoryToken: PredicateIdentity {
  var predicateIdentity: AnyHashable? { self }
}
