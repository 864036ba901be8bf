import Foundation
import Synchronization

/// Finds out whether anything observes a notification, which Foundation doesn't tell.
///
/// Posting a notification without observers takes half as many instructions as inserting a row, and making its sets of
/// objects and ids takes as many again; a save posts four notifications. So the default center's own table is looked at
/// first, under the center's own lock: for the notification's name, and for the nil name, under which those are who
/// observe all notifications.
///
/// | byte | content of a notification center |
/// |---|---|
/// | 16 | a `Mutex` with a dictionary by `String?`; names without observers are removed |
/// | 32 | not used here |
package enum NotificationObservers {
  /// Only keys are looked up, so the type of the values doesn't matter: the dictionary is one reference.
  private typealias Table = Mutex<[String?: AnyObject]>

  static var isKnown: Bool { table != nil }

  /// The default center's table, which is never freed; nil if the center's layout isn't the expected one.
  private nonisolated(unsafe) static let table: UnsafePointer<Table>? = {
    let center = NotificationCenter.default
    return type(of: center) == NotificationCenter.self && isFormKnown() ? table(of: center) : nil
  }()

  private static func table(of center: NotificationCenter) -> UnsafePointer<Table> {
    UnsafeRawPointer(Unmanaged.passUnretained(center).toOpaque() + 16).assumingMemoryBound(to: Table.self)
  }

  /// Whether there may be an observer. True if that can't be found out.
  package static func areThere(for name: Notification.Name) -> Bool {
    guard let table else { return true }
    return has(name.rawValue, table)
  }

  private static func has(_ name: String, _ table: UnsafePointer<Table>) -> Bool {
    table.pointee.withLock { names in
      !names.isEmpty && (names.index(forKey: name) != nil || names.index(forKey: nil) != nil)
    }
  }

  /// Tests the layout with a new center: empty, with an observer of one name, with one of all names, and empty again.
  static func isFormKnown() -> Bool {
    let center = NotificationCenter()
    guard ClassMetadata(NotificationCenter.self).fieldNames == ["registrar", "$__lazy_storage_$__actorQueueManager"],
      RuntimeAssumption.instanceSizes.isMet, ClassMetadata(NotificationCenter.self).instanceSize == 40,
      MemoryLayout<Table>.size == 16
    else { return false }
    let (name, other) = (Notification.Name("StrataObservedName"), "StrataOtherName")
    let first = center.addObserver(forName: name, object: nil, queue: nil) { _ in }
    // Checks that it is a dictionary with such keys before anything is read as one. The lock has four bytes; the four
    // after it are padding with arbitrary content.
    let start = Unmanaged.passUnretained(center).toOpaque()
    guard start.load(fromByteOffset: 16, as: UInt32.self) == 0,
      let dictionary = start.load(fromByteOffset: 24, as: UnsafeRawPointer?.self)
    else { return false }
    let storage = Unmanaged<AnyObject>.fromOpaque(dictionary).takeUnretainedValue()
    let form = _typeName(type(of: storage), qualified: false)
    guard form.hasPrefix("_DictionaryStorage<Optional<String>, Dictionary<") else { return false }
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
