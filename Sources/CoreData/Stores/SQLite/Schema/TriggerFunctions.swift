/// The functions that the triggers of derived attributes in a file call, and that SQL does not know yet.
///
/// SQLite fails each save that fires a trigger with an unknown function. Triggers that another framework wrote may have
/// functions whose names are not public. Such a function gets the meaning of the derivation of the attribute that the
/// trigger is named after: `Z_DA_<table>_<entity>_<attribute>_…`. If triggers call it for different purposes, its
/// meaning can't be told.
struct TriggerFunctions {
  private let attributes: [(name: String, description: NSDerivedAttributeDescription)]
  private let connection: Connection

  /// A file can have any text as a trigger.
  private static let limit = 100

  /// Registers what can be told. Returns the calls that can't be, as `Z_DA_… calls NSCoreData…`. Asks the file only
  /// if the model has derived attributes.
  static func register(for schema: StoreSchema, in connection: Connection) throws -> [String] {
    let functions = TriggerFunctions(schema, connection)
    return functions.attributes.isEmpty ? [] : try functions.register()
  }

  private init(_ schema: StoreSchema, _ connection: Connection) {
    self.connection = connection
    var attributes: [(name: String, description: NSDerivedAttributeDescription)] = []
    for case let entity? in schema.entities {
      let table = entity.table.replacingOccurrences(of: "\"", with: "")
      for property in entity.layout.slots {
        guard let description = property.description as? NSDerivedAttributeDescription else { continue }
        attributes.append(("Z_DA_\(table)_\(entity.layout.name)_\(property.name)_", description))
      }
    }
    self.attributes = attributes
  }

  private func register() throws -> [String] {
    var calls: [(trigger: String, function: String, purpose: TriggerPurpose?)] = []
    try connection.forEachRow(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'Z\\_DA\\_%' ESCAPE '\\'"
    ) { row in
      guard let trigger = row.text(0), let body = row.textBytes(1) else { return }
      for function in TriggerFunctions.names(in: body) where calls.count < TriggerFunctions.limit {
        if connection.hasFunction(function) { continue }
        calls.append((trigger, function, purpose(of: function, in: trigger)))
      }
    }
    var unknown: [String] = []
    for call in calls where !connection.hasFunction(call.function) {
      let purposes = calls.filter { $0.function.lowercased() == call.function.lowercased() }.compactMap { $0.purpose }
      if let purpose = purposes.first, purposes.allSatisfy({ $0 == purpose }) {
        try StoreFunctions.register(call.function, purpose, in: connection)
      } else {
        unknown.append("\(call.trigger) calls \(call.function)")
      }
    }
    return unknown
  }

  private func purpose(of function: String, in trigger: String) -> TriggerPurpose? {
    if function.hasSuffix("AffectedObjectValue") { return .note }
    // The name of an attribute may begin with that of another one.
    let named = attributes.filter { trigger.hasPrefix($0.name) }.max { $0.name.utf8.count < $1.name.utf8.count }
    guard case .function(let selector, _)? = try? named?.description.derivationNode() else { return nil }
    if selector == PredicateFunction.now.rawValue { return .now }
    if selector == PredicateFunction.uppercase.rawValue { return .change(.uppercase) }
    if selector == PredicateFunction.lowercase.rawValue { return .change(.lowercase) }
    if selector == PredicateFunction.canonical.rawValue { return .change(.canonical) }
    return nil
  }

  /// The names in the calls `NSCoreData…(` of a trigger.
  private static func names(in body: UnsafeRawBufferPointer) -> [String] {
    let prefix = Array("NSCoreData".utf8)
    var names: [String] = []
    var place = 0
    while place + prefix.count < body.count {
      guard body[place...].starts(with: prefix) else {
        place += 1
        continue
      }
      let end = body[place...].firstIndex { !isWord($0) } ?? body.count
      if end < body.count, body[end] == UInt8(ascii: "("), end - place <= 128 {
        names.append(String(decoding: body[place..<end], as: UTF8.self))
      }
      place = end
    }
    return names
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte == 95 || 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte
  }
}

extension MisuseReport {
  static func unknownTriggerFunctions(_ calls: [String], store: URL) -> MisuseReport {
    MisuseReport(
      "Saves that fire these triggers of \(store.path) will fail.", facts: calls.map { ("Trigger", $0) },
      how: "Another framework wrote them for derived attributes, with functions that are not known here.",
      remedy: "Drop the triggers, or open the store in that framework with a model without these attributes.")
  }
}
