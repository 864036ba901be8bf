import Foundation
import Synchronization

/// Whether anybody observes a notification, which Foundation doesn't say.
///
/// To post one that nobody hears takes half the instructions of inserting a row, and what it tells, sets of objects and
/// of ids, takes as many; a save posts four. So the default center's own table is asked first, under its own lock: for
/// the notification's name, and for no name, where they stand who observe all.
///
/// | byte | content of a center |
/// |---|---|
/// | 16 | a `Mutex` over a dictionary by `String?`; who observes nothing any more is taken out |
/// | 32 | what is none of our business |
package enum NotificationObservers {
  /// Only keys are looked for. Whatever the values are, the dictionary itself is one reference.
  private typealias Table = Mutex<[String?: AnyObject]>

  static var isKnown: Bool { table != nil }

  /// The default center's table, which is never freed; nil where centers have another form.
  private nonisolated(unsafe) static let table: UnsafePointer<Table>? = {
    let center = NotificationCenter.default
    return type(of: center) == NotificationCenter.self && isFormKnown() ? table(of: center) : nil
  }()

  private static func table(of center: NotificationCenter) -> UnsafePointer<Table> {
    UnsafeRawPointer(Unmanaged.passUnretained(center).toOpaque() + 16).assumingMemoryBound(to: Table.self)
  }

  /// Whether there may be an observer. True where it can't be told.
  package static func areThere(for name: Notification.Name) -> Bool {
    guard let table else { return true }
    return has(name.rawValue, table)
  }

  private static func has(_ name: String, _ table: UnsafePointer<Table>) -> Bool {
    table.pointee.withLock { names in
      !names.isEmpty && (names.index(forKey: name) != nil || names.index(forKey: nil) != nil)
    }
  }

  /// Tries a center of its own: empty, with an observer of one name, of all names, and empty again.
  static func isFormKnown() -> Bool {
    let center = NotificationCenter()
    let fields = Mirror(reflecting: center).children.compactMap(\.label)
    guard fields == ["registrar", "$__lazy_storage_$__actorQueueManager"],
      RuntimeAssumption.instanceSizes.isMet, ClassMetadata(NotificationCenter.self).instanceSize == 40,
      MemoryLayout<Table>.size == 16
    else { return false }
    let (name, other) = (Notification.Name("StrataObservedName"), "StrataOtherName")
    let first = center.addObserver(forName: name, object: nil, queue: nil) { _ in }
    // Before anything is read as a dictionary: that it is one by such keys. The lock is four bytes wide; the four after
    // it are padding and hold whatever the memory held before.
    let start = Unmanaged.passUnretained(center).toOpaque()
    guard start.load(fromByteOffset: 16, as: UInt32.self) == 0,
      let dictionary = start.load(fromByteOffset: 24, as: UnsafeRawPointer?.self)
    else { return false }
    let storage = Unmanaged<AnyObject>.fromOpaque(dictionary).takeUnretainedValue()
    guard "\(type(of: storage))".hasPrefix("_DictionaryStorage<Optional<String>, Dictionary<") else { return false }
    let table = table(of: center)
    let withFirst = has(name.rawValue, table) && !has(other, table)
    let second = center.addObserver(forName: nil, object: center, queue: nil) { _ in }
    let withBoth = has(name.rawValue, table) && has(other, table)
    center.removeObserver(first)
    let withSecond = has(other, table)
    center.removeObserver(second)
    return withExtendedLifetime(center) {
      withFirst && withBoth && withSecond && !has(name.rawValue, table) && !has(other, table)
    }
  }
}
