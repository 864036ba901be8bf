import CoreData
import DataModelFiles
import DurabilitySupport
import TestDice

/// A class of the program's own, whose objects a transformer allows in archives.
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

/// Allows the program's own class, tokens of histories and generations, and what is allowed by default.
final class OwnClassesTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] {
    super.allowedTopLevelClasses + [
      ArchivedPoint.self, NSPersistentHistoryToken.self, NSQueryGenerationToken.self, NSOrderedSet.self,
    ]
  }
}

/// A store with a row whose values are broken archives, and which are read with all transformers.
enum BrokenArchives {
  static let model: NSManagedObjectModel = {
    ValueTransformer.setValueTransformer(
      OwnClassesTransformer(), forName: NSValueTransformerName("OwnClassesTransformer"))
    let holder = NSEntityDescription()
    holder.name = "Holder"
    holder.properties = [
      ("any", nil), ("secure", "NSSecureUnarchiveFromData"), ("own", "OwnClassesTransformer"),
    ].map { name, transformer in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .transformableAttributeType
      attribute.isOptional = true
      attribute.valueTransformerName = transformer
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [holder]
    return model
  }()

  private static var roots: [NSObject] {
    [
      NSArray(array: ["a", NSDate(timeIntervalSinceReferenceDate: 5), NSNull(), NSArray(array: [1, 2.5, true])]),
      NSDictionary(dictionary: [
        "a": NSSet(array: ["x", "y"]), "b": NSURL(string: "http://localhost/a?b")!, "c": NSUUID(),
        "d": NSData(data: Data([1, 2, 3])), "e": NSMutableArray(array: [NSMutableString(string: "m")]),
      ]),
      NSSet(array: [NSArray(array: [1]), NSDictionary(dictionary: [1: "a"])]),
      NSOrderedSet(array: ["a", "b"]), ArchivedPoint(1, next: ArchivedPoint(2, next: nil)),
      NSArray(array: [ArchivedPoint(3, next: nil)]), "text" as NSString,
    ]
  }

  /// A store with one row, and the archives beside it.
  static func make(_ setup: StoreSetup, in folder: URL) throws {
    let coordinator = try setup.open(in: folder, model: model)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Holder", into: context)
      try context.save()
    }
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    try coordinator.removeAllStores()
    for (index, root) in (roots + (token.map { [$0] } ?? [])).enumerated() {
      try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: false)
        .write(to: folder.appendingPathComponent("\(index).archive"))
    }
  }

  static var names: [String] { (0..<roots.count).map { "\($0).archive" } }

  /// Puts a changed archive into the row.
  static func change(_ url: URL, _ archives: [Data], seed: UInt64) throws -> String {
    var random = Dice(state: seed &* 0xFF51_AFD7_ED55_8CCD &+ 11)
    let number = random.below(archives.count)
    let original = Array(archives[number])
    var (bytes, words) = (original, "")
    if random.below(3) > 0, let changed = ListDamage.apply(to: original, seed: seed) {
      (bytes, words) = changed
    } else {
      let damage = Damage(seed: seed, sizes: [original.count])
      (bytes, words) = (Array(damage.apply(to: Data(original))), "\(damage)")
    }
    let hex = bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    try StoreColumns.execute(["UPDATE ZHOLDER SET ZANY = x'\(hex)', ZSECURE = x'\(hex)', ZOWN = x'\(hex)'"], in: url)
    return "archive \(number), \(words)"
  }

  /// Reads the values, and saves a change to the same row.
  static func open(_ setup: StoreSetup, in folder: URL) throws {
    let coordinator = try setup.open(in: folder, model: model)
    defer { try? coordinator.removeAllStores() }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Holder")) {
        for key in ["any", "secure", "own"] { _ = object.value(forKey: key).map { "\($0)" } }
        object.setValue(NSArray(array: [1]), forKey: "secure")
      }
      try context.save()
    }
  }
}
