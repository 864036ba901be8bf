/// A place in the history of a coordinator's stores: everything up to a transaction.
///
/// Keep the token of the last transaction that you have processed, and ask for what came after it:
///
///     let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
///     let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
///
/// Every program that opens the store can use its tokens. Immutable; any thread.
nonisolated open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  /// The numbers of the last transactions, by the stores' UUIDs.
  package let numbers: [String: Int64]

  /// The place before everything: a token of no store.
  public override convenience init() { self.init([:]) }

  package init(_ numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// The token itself: tokens are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two tokens stand for the same place in the same stores.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  /// A hash of the stores and the places in them.
  open override var hash: Int { numbers.hashValue }

  /// The stores' UUIDs and the numbers of transactions, for logs.
  open override var description: String {
    let places = numbers.sorted(on: \.key).map { "\($0.key) = \($0.value)" }
    return "<NSPersistentHistoryToken \(places.joined(separator: ", "))>"
  }

  // Archiving.

  /// True: a token holds strings and numbers.
  public static var supportsSecureCoding: Bool { true }

  /// A token from an archive; nil if the archive has none.
  ///
  /// The archive has one text, `UUID=number` for each store, joined by commas, so that nothing in it can nest or lead
  /// in a circle. A custom store's UUID may be any text; other characters than those of UUIDs are percent-encoded.
  /// Tokens of earlier versions, which had a dictionary, can't be read.
  public required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "places").map({ "\($0)" }) else { return nil }
    var numbers: [String: Int64] = [:]
    for place in text.split(separator: ",") {
      let parts = place.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
      numbers[parts[0].removingPercentEncoding ?? String(parts[0])] = number
    }
    self.numbers = numbers
    super.init()
  }

  /// Writes the numbers of the last transactions by the stores' UUIDs.
  open func encode(with coder: NSCoder) {
    let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-"))
    let places = numbers.sorted(on: \.key).map { uuid, number in
      "\(uuid.addingPercentEncoding(withAllowedCharacters: plain) ?? uuid)=\(number)"
    }
    coder.encode(places.joined(separator: ",") as NSString, forKey: "places")
  }
}

extension NSPersistentHistoryToken: PredicateIdentity {
  var predicateIdentity: AnyHashable? { self }
}
