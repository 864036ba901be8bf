@testable import CoreData

/// An object that a program may allow in archives.
final class ArchivedPoint: NSObject, NSSecureCoding {
  let next: ArchivedPoint?
  let x: Int

  init(_ x: Int, next: ArchivedPoint?) { (self.x, self.next) = (x, next) }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    x = coder.decodeInteger(forKey: "x")
    next = coder.decodeObject(of: ArchivedPoint.self, forKey: "next")
  }

  func encode(with coder: NSCoder) {
    coder.encode(x, forKey: "x")
    coder.encode(next, forKey: "next")
  }
}

/// Allows a class of the program's own besides.
final class OwnClassesTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] {
    super.allowedTopLevelClasses + [
      ArchivedPoint.self, NSPersistentHistoryToken.self, NSQueryGenerationToken.self, NSOrderedSet.self,
    ]
  }
}

/// Values of transformable attributes: archives, read by each kind of transformer.
struct TransformableTarget: FuzzTarget {
  static let name = "transformable"
  static let longest = 4096

  private let transformers: [ValueTransformer]

  init() throws {
    transformers = [
      OwnClassesTransformer(), NSSecureUnarchiveFromDataTransformer(),
      ValueTransformer(forName: .unarchiveFromDataTransformerName)!,
    ]
  }

  func seeds() throws -> [[UInt8]] {
    let roots: [NSObject] = [
      NSArray(array: ["a", NSDate(timeIntervalSinceReferenceDate: 5), NSNull(), NSArray(array: [1, 2.5, true])]),
      NSDictionary(dictionary: [
        "a": NSSet(array: ["x", "y"]), "b": NSURL(string: "http://localhost/a?b")!, "c": NSUUID(),
        "d": NSData(data: Data([1, 2, 3])), "e": NSMutableArray(array: [NSMutableString(string: "m")]),
      ]),
      NSOrderedSet(array: ["a", "b"]), ArchivedPoint(1, next: ArchivedPoint(2, next: nil)), "text" as NSString,
      NSPersistentHistoryToken(["A": 1]),
    ]
    return try roots.map { Array(try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: false)) }
  }

  func run(_ input: [UInt8]) throws {
    for transformer in transformers {
      let value = transformer.transformedValue(Data(input))
      guard let object = value as? NSObject else { continue }
      _ = "\(object)".utf8.count
      _ = object.hash
      // As the module compares values: Foundation ends the program where a set has an array in it.
      if let again = transformer.transformedValue(Data(input)) as? NSObject {
        _ = Value.object(object).isSame(as: .object(again))
      }
      _ = transformer.reverseTransformedValue(object)
    }
  }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(3) > 0 ? ListMutator.mutated(input, &dice) : nil
  }
}

/// Archives of history tokens, or the text in one; then the history behind what was read.
struct HistoryTokenTarget: FuzzTarget {
  static let name = "history-token"
  static let longest = 2048

  private let context: NSManagedObjectContext
  private let identifier: String

  init() throws {
    let coordinator = try Fixture.open(NSSQLiteStoreType, Scratch.url("History.sqlite"))
    context = Fixture.context(coordinator)
    try Fixture.fill(context)
    identifier = coordinator.persistentStores[0].identifier
  }

  func seeds() throws -> [[UInt8]] {
    let token = NSPersistentHistoryToken([identifier: 1, "A": 2])
    let archive = Array(try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true))
    return [archive, Array("@=1".utf8), Array("@=0,A=-5".utf8)]
  }

  /// The input: an archive; or a text in which `@` stands for the store's UUID, which differs in every run.
  func run(_ input: [UInt8]) throws {
    let isArchive = input.starts(with: "bplist".utf8)
    let data = isArchive ? Data(input) : try archive(String(decoding: input, as: UTF8.self))
    guard
      let token = try UnarchivedObject.read(data, of: [NSPersistentHistoryToken.self, NSString.self])
        as? NSPersistentHistoryToken
    else { return }
    _ = "\(token)".utf8.count
    _ = token.hash
    try context.performAndWait {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let answer = try context.execute(request) as? NSPersistentHistoryResult
      _ = (answer?.result as? [Any])?.count
    }
  }

  private func archive(_ text: String) throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    let token = TokenText(text.split(separator: "@", omittingEmptySubsequences: false).joined(separator: identifier))
    archiver.setClassName(NSStringFromClass(NSPersistentHistoryToken.self), for: TokenText.self)
    archiver.encode(token, forKey: NSKeyedArchiveRootObjectKey)
    return archiver.encodedData
  }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(2) == 0 ? ListMutator.mutated(input, &dice) : nil
  }
}

/// An object that is archived like a token, with any text in it.
final class TokenText: NSObject, NSSecureCoding {
  let text: String

  init(_ text: String) { self.text = text }

  static var supportsSecureCoding: Bool { true }
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "places") }
}
