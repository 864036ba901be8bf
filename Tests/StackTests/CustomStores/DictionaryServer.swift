import CoreData
import Foundation

/// What a `DictionaryStore` talks to: records by reference, as a server has them. It knows nothing of Core Data.
///
/// Several stores, of several coordinators, may share one. Any thread.
final class DictionaryServer: @unchecked Sendable {
  struct Record {
    var entity: String
    /// Attributes by name; of to-one relationships the reference.
    var values: [String: Any] = [:]
    /// Of to-many relationships the references, in order.
    var members: [String: [String]] = [:]
    /// Grows with each change.
    var version: UInt64 = 1
  }

  private let lock = NSLock()
  private var table: [String: Record] = [:]
  private var lastNumber = 0
  private var noted: [String] = []
  private var refusals: [String: NSError] = [:]
  private var absence: NSError?
  private var counts: [String: Int] = [:]

  /// What the server is known by.
  let uuid = UUID().uuidString

  private static let registry = NSLock()
  nonisolated(unsafe) private static var servers: [URL: DictionaryServer] = [:]

  /// The server at an address; the first who asks for it starts it.
  static func at(_ url: URL) -> DictionaryServer {
    registry.withLock {
      if let server = servers[url] { return server }
      let server = DictionaryServer()
      servers[url] = server
      return server
    }
  }

  // Records.

  var records: [String: Record] { lock.withLock { table } }

  func record(_ reference: String) -> Record? { lock.withLock { table[reference] } }

  func newReference(for entity: String) -> String {
    lock.withLock {
      lastNumber += 1
      return "\(entity) no. \(lastNumber)"
    }
  }

  /// Writes all or nothing; every written record gets a new version.
  func write(_ changed: [String: Record], deleting deleted: [String]) {
    lock.withLock {
      for (reference, record) in changed {
        var record = record
        record.version = (table[reference]?.version ?? 0) + 1
        table[reference] = record
      }
      for reference in deleted { table[reference] = nil }
    }
  }

  // What tests want to know, and to happen.

  /// Which methods of the store were called since the last time, in order.
  func takeCalls() -> [String] {
    lock.withLock {
      defer { noted = [] }
      return noted
    }
  }

  /// Puts a value into each record, as a faulty server would.
  func change(_ name: String, to value: Any) {
    for (reference, record) in records {
      var record = record
      record.values[name] = value
      write([reference: record], deleting: [])
    }
  }

  /// Has the next call of a method of the store fail.
  func refuse(_ method: String, with error: NSError) { lock.withLock { refusals[method] = error } }

  /// Has all calls fail that read something; nil ends that.
  func goAway(_ error: NSError?) { lock.withLock { absence = error } }

  /// Called by the store at the start of its methods.
  func note(_ method: String, _ what: String = "") throws {
    let refusal = lock.withLock {
      noted.append(what.isEmpty ? method : "\(method) \(what)")
      return refusals.removeValue(forKey: method) ?? (["values", "members", "fetch"].contains(method) ? absence : nil)
    }
    if let refusal { throw refusal }
  }

  /// How many contexts have an object, by its URI.
  var uses: [String: Int] { lock.withLock { counts.filter { $0.value != 0 } } }

  func count(_ ids: [NSManagedObjectID], by step: Int) {
    lock.withLock { for id in ids { counts[id.uriRepresentation().lastPathComponent, default: 0] += step } }
  }
}
