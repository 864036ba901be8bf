import Foundation

/// A server of records at a port of this machine. It speaks JSON over plain sockets, and knows nothing of Core Data.
///
/// Every request is answered under one lock: what a write compares is what it writes over. A record is
/// `{"entity", "id", "version", "values"}`; a to-one value is `["Author", 3]`, a missing value is null.
///
/// - `find` {entities, where?, order?, limit?, offset?} and `read` {ids}: {records}; with `count`, {count}
/// - `members` {entities, key, ids}: {members}, records by the id that their value `key` leads to
/// - `keys` {count}: {first}
/// - `write` {records, deleted, locked, unique}: {versions}, or {conflicts}, or {taken}; nothing is written then. What
///   names a `base` is written over that version only.
final class WireServer: @unchecked Sendable {
  // `@unchecked Sendable`: what changes is in `state`, under `lock`; the sockets belong to the threads that serve them.

  struct Record {
    var entity: String
    var id: Int64
    var version: Int64
    var values: [String: Any]

    var message: [String: Any] { ["entity": entity, "id": id, "version": version, "values": values] }
  }

  private struct State {
    var records: [Int64: Record] = [:]
    var lastKey: Int64 = 0
    /// The last version of any record. Versions are only compared for equality.
    var lastVersion: Int64 = 100
    var trips: [String] = []
    var isAway = false
  }

  /// Not a `Mutex`, which the thread sanitizer doesn't know.
  private let lock = NSLock()
  private var state = State()
  private let listener: Int32
  let port: UInt16
  let uuid = UUID().uuidString

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = WireConnection.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard bound else { throw WireConnection.away(errno) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { self.serve(WireConnection(client)) }
      }
    }
  }

  var url: URL { URL(string: "wire://127.0.0.1:\(port)")! }

  /// Ends the server; who is connected is served to the end.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  // What tests want to know, and to happen.

  /// Which requests came since the last time.
  func takeTrips() -> [String] {
    lock.withLock {
      defer { state.trips = [] }
      return state.trips
    }
  }

  /// Whether the server hangs up at every request.
  func setAway(_ flag: Bool) { lock.withLock { state.isAway = flag } }

  func value(_ key: String, of entity: String) -> Any? {
    lock.withLock { state.records.values.first { $0.entity == entity }?.values[key] }
  }

  var count: Int { lock.withLock { state.records.count } }

  // Requests.

  private func serve(_ connection: WireConnection) {
    while let request = try? connection.receive() {
      nonisolated(unsafe) let asked = request
      let answer = lock.withLock { () -> Data? in
        if state.isAway { return nil }
        state.trips.append(asked["do"] as? String ?? "")
        return try? JSONSerialization.data(withJSONObject: WireServer.answer(asked, &state, uuid))
      }
      guard let answer, (try? connection.send(answer)) != nil else { return }
    }
  }

  private static func answer(_ request: [String: Any], _ state: inout State, _ uuid: String) -> [String: Any] {
    switch request["do"] as? String {
    case "hello": return ["uuid": uuid]
    case "keys":
      let first = state.lastKey + 1
      state.lastKey += number(request["count"]) ?? 1
      return ["first": first]
    case "read":
      let ids = request["ids"] as? [Any] ?? []
      return ["records": ids.compactMap { number($0).flatMap { state.records[$0]?.message } }]
    case "find":
      let found = find(request, state)
      return request["count"] != nil ? ["count": found.count] : ["records": found.map(\.message)]
    case "members":
      let (key, owners) = (request["key"] as? String ?? "", Set((request["ids"] as? [Any] ?? []).compactMap(number)))
      var members: [String: [[Any]]] = [:]
      for record in find(request, state) {
        guard let owner = number((record.values[key] as? [Any])?.last), owners.contains(owner) else { continue }
        members["\(owner)", default: []].append([record.entity, record.id])
      }
      return ["members": members]
    case "write": return write(request, &state)
    default: return ["error": "\(request["do"] ?? "nothing") is no request"]
    }
  }

  private static func find(_ request: [String: Any], _ state: State) -> [Record] {
    let entities = Set(request["entities"] as? [String] ?? [])
    var found = state.records.values.filter { record in
      entities.contains(record.entity) && (request["where"] as? [Any]).map { matches(record, $0) } ?? true
    }.sorted { $0.id < $1.id }
    for case let order as [Any] in (request["order"] as? [Any] ?? []).reversed() {
      let (key, ascends) = (order[0] as? String ?? "", order[1] as? Bool ?? true)
      // Sorting keeps the order of equals.
      found = found.enumerated().sorted { one, other in
        let result = compare(one.element.values[key], other.element.values[key])
        return result == 0 ? one.offset < other.offset : ascends == (result < 0)
      }.map(\.element)
    }
    let rest = found.dropFirst(Int(number(request["offset"]) ?? 0))
    let limit = Int(number(request["limit"]) ?? 0)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  /// `["and", …]`, `["or", …]`, `["not", x]`, or `[operator, key, value]`.
  private static func matches(_ record: Record, _ condition: [Any]) -> Bool {
    let parts = condition.dropFirst().compactMap { $0 as? [Any] }
    switch condition[0] as? String {
    case "and": return parts.allSatisfy { matches(record, $0) }
    case "or": return parts.contains { matches(record, $0) }
    case "not": return !parts.contains { matches(record, $0) }
    default: break
    }
    let value = record.values[condition[1] as? String ?? ""]
    let isKnown = !(value is NSNull) && !(condition[2] is NSNull) && value != nil
    switch condition[0] as? String {
    case "=": return compare(value, condition[2]) == 0
    case "!=": return compare(value, condition[2]) != 0
    case "<": return isKnown && compare(value, condition[2]) < 0
    case "<=": return isKnown && compare(value, condition[2]) <= 0
    case ">": return isKnown && compare(value, condition[2]) > 0
    case ">=": return isKnown && compare(value, condition[2]) >= 0
    default: return (condition[2] as? [Any] ?? []).contains { compare(value, $0) == 0 }
    }
  }

  /// Null is before everything.
  private static func compare(_ one: Any?, _ other: Any?) -> Int {
    switch (one.flatMap { $0 as? [Any] }?.last ?? one, other.flatMap { $0 as? [Any] }?.last ?? other) {
    case (let one as String, let other as String): return one == other ? 0 : one < other ? -1 : 1
    case (let one as NSNumber, let other as NSNumber):
      return one.doubleValue == other.doubleValue ? 0 : one.doubleValue < other.doubleValue ? -1 : 1
    case (let one, let other):
      func isKnown(_ value: Any?) -> Bool { value is NSNumber || value is String }
      return (isKnown(one) ? 1 : 0) - (isKnown(other) ? 1 : 0)
    }
  }

  private static func number(_ value: Any?) -> Int64? { (value as? NSNumber)?.int64Value }

  /// Compares and writes, all of it or nothing: what nobody but the keeper of the records can do.
  private static func write(_ request: [String: Any], _ state: inout State) -> [String: Any] {
    func list(_ name: String) -> [[String: Any]] { request[name] as? [[String: Any]] ?? [] }
    let conflicts = (list("records") + list("deleted") + list("locked")).compactMap { changed -> [String: Any]? in
      guard let base = number(changed["base"]), let id = number(changed["id"]) else { return nil }
      let current = state.records[id]
      return current?.version == base ? nil : current?.message ?? ["id": id, "version": 0]
    }
    if !conflicts.isEmpty { return ["conflicts": conflicts] }
    var records = state.records
    for gone in list("deleted") { number(gone["id"]).map { records[$0] = nil } }
    var versions: [[Int64]] = []
    state.lastVersion += 1
    for changed in list("records") {
      guard let id = number(changed["id"]), let entity = changed["entity"] as? String else { continue }
      let record = Record(
        entity: entity, id: id, version: state.lastVersion, values: changed["values"] as? [String: Any] ?? [:])
      records[id] = record
      versions.append([id, record.version])
    }
    for (entity, keys) in request["unique"] as? [String: [String]] ?? [:] {
      for key in keys {
        var holders: [String: Record] = [:]
        for record in records.values.sorted(by: { $0.id < $1.id }) where record.entity == entity {
          guard let value = record.values[key], !(value is NSNull) else { continue }
          if let holder = holders.updateValue(record, forKey: "\(value)") {
            return ["taken": ["key": key, "holder": holder.message, "id": record.id]]
          }
        }
      }
    }
    state.records = records
    return ["versions": versions]
  }
}
