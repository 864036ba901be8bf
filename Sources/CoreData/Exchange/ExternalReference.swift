/// A reference that a row has in place of a value in a file beside its store. It is followed when the data is asked
/// for.
///
/// 1. A store decodes a reference without looking at the file. So fetches, faults, and all other properties of the
///    object don't care whether the file is there (`RowDecoder`).
/// 2. The entry of such a slot in a row has its highest bit set; see `RowSnapshot.isReference`. Its tail is
///
///    | offset | content |
///    |---|---|
///    | 0 | the 36 bytes that the column has for the file's name, whatever they are |
///    | 36 | the number of the `ExternalSource` that finds the file, `UInt32` |
///
/// 3. A row copies references like any other bytes. A save that did not set the property leaves its column alone.
/// 4. A row with references is a `ReferringRow`: no file that it names is removed while it lives (`ExternalHolds`).
struct ExternalReference: Equatable {
  /// The text in the column. Don't use it as a name unless `uuid` says that it is one.
  let name: String
  /// See ``ExternalSources``.
  let source: Int

  static let nameLength = 36
  static let length = 40

  var uuid: UUID? {
    var name = name
    return name.withUTF8 { ExternalReference.uuid(UnsafeRawBufferPointer($0)) }
  }

  /// The UUID that 36 bytes spell, in capitals or small letters; nil for anything else.
  static func uuid(_ name: UnsafeRawBufferPointer) -> UUID? {
    guard name.count == nameLength else { return nil }
    var (high, low, digits): (UInt64, UInt64, Int) = (0, 0, 0)
    for (index, byte) in name.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == 45 else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 65...70: digit = byte - 55
      case 97...102: digit = byte - 87
      default: return nil
      }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    var words = (high.bigEndian, low.bigEndian)
    return withUnsafeBytes(of: &words) { $0.loadUnaligned(as: UUID.self) }
  }
}

/// Where the files of one store's long values are found. Any thread.
protocol ExternalSource: AnyObject, Sendable {
  /// The data that a reference leads to; nil if the property no longer has a value.
  ///
  /// - Parameter asksStore: whether to read the row again if the file is gone, since the value may have been replaced.
  ///   False if the caller has the store's connection.
  /// - Throws: a `Failure` that names the file, the entity and the property.
  func data(
    _ reference: ExternalReference, _ property: LayoutProperty, of row: RowReference, asksStore: Bool
  ) throws -> Data?
}

/// All sources of the process, by number. They stay: a row may outlive its store.
enum ExternalSources {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var sources: [any ExternalSource] = []

  static func add(_ source: any ExternalSource) -> Int {
    lock.withLock {
      sources.append(source)
      return sources.count - 1
    }
  }

  static subscript(number: Int) -> any ExternalSource { lock.withLock { sources[number] } }
}

/// How many rows of the process refer to a file. Any thread.
///
/// Rows of all stores count together: the names are UUIDs.
enum ExternalHolds {
  private struct Hold {
    var count = 0
    var freed: [() -> Void] = []
  }

  private static let lock = NSLock()
  private nonisolated(unsafe) static var holds: [UUID: Hold] = [:]

  static func hold(_ names: [UUID]) {
    lock.withLock { for name in names { holds[name, default: Hold()].count += 1 } }
  }

  /// Called by a row's deinit, perhaps under a lock.
  static func release(_ names: UnsafeBufferPointer<UUID>) {
    var freed: [() -> Void] = []
    lock.lock()
    for name in names {
      guard var hold = holds[name] else { continue }
      hold.count -= 1
      if hold.count == 0 { freed += hold.freed }
      holds[name] = hold.count == 0 ? nil : hold
    }
    lock.unlock()
    for work in freed { work() }
  }

  static func isHeld(_ name: UUID) -> Bool { lock.withLock { holds[name] != nil } }

  /// Calls `freed` when the last row that refers to the file goes: on any thread, under any lock. False if there is
  /// none.
  static func whenFree(_ name: UUID, _ freed: @escaping () -> Void) -> Bool {
    lock.withLock {
      if holds[name] == nil { return false }
      holds[name]!.freed.append(freed)
      return true
    }
  }
}
