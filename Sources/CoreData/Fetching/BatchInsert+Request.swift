extension BatchInsert {
  /// Resolves a request against a model. Throws an error for an invalid request; errors in rows are thrown when the
  /// rows are read.
  init(_ request: NSBatchInsertRequest, layouts: ModelLayouts, answer: ConstraintAnswer) throws {
    let layout = request.entity.map(layouts.layout(of:)) ?? layouts.layout(named: request.entityName)
    guard let layout else {
      throw BatchInsert.malformed(
        request, request.entityName.isEmpty ? "it has no entity" : "the model has no entity of that name")
    }
    if layout.isAbstract { throw BatchInsert.malformed(request, "the entity is abstract") }
    request.entity = layout.entity
    self.layout = layout
    self.answer = answer
    namesRows = request.resultType == .objectIDs
    let rows = try BatchRowEncoder(layout)
    switch (request.objectsToInsert, request.dictionaryHandler, request.managedObjectHandler) {
    case (let objects?, nil, nil): next = BatchInsert.rows(of: objects, rows)
    case (nil, let handler?, nil): next = BatchInsert.rows(handler, rows)
    case (nil, nil, let handler?): next = BatchInsert.rows(handler, rows)
    case (nil, nil, nil): throw BatchInsert.malformed(request, "it has neither objects nor a handler")
    default: throw BatchInsert.malformed(request, "it has more than one of objects and handlers")
    }
  }

  private static func malformed(_ request: NSBatchInsertRequest, _ what: String) -> NSError {
    Failure.malformedBatchRequest(entity: request.entityName.isEmpty ? nil : request.entityName, what: what).nsError
  }

  private static func rows(
    of objects: [[String: Any]], _ rows: BatchRowEncoder
  ) -> (Int64) throws -> BatchRow? {
    var objects = objects.makeIterator()
    var names = PropertyFinder(rows.layout)
    return { key in
      guard let object = objects.next() else { return nil }
      rows.beginRow()
      names.restart()
      for (name, value) in object {
        guard let index = names.index(of: name) else { throw rows.unknown(name, value) }
        if rows.take(value, index) == nil { try rows.set(value, index) }
      }
      return try rows.finishRow(key)
    }
  }

  private static func rows(
    _ handler: @escaping (NSMutableDictionary) -> Bool, _ rows: BatchRowEncoder
  ) -> (Int64) throws -> BatchRow? {
    let dictionary = BatchRowDictionary(rows)
    return { key in
      dictionary.clear()
      if handler(dictionary) { return nil }
      try dictionary.encodeRest()
      return try rows.finishRow(key)
    }
  }

  private static func rows(
    _ handler: @escaping (NSManagedObject) -> Bool, _ rows: BatchRowEncoder
  ) -> (Int64) throws -> BatchRow? {
    let object = rows.layout.objectClass.makeDynamically(of: rows.layout.entity, in: nil)
    return { key in
      if handler(object) { return nil }
      rows.beginRow()
      // Also of one that is refused, since it may lead to itself.
      defer { object.returnToDefaults() }
      try rows.set(object)
      return try rows.finishRow(key)
    }
  }
}

/// Finds properties by name. This is quickest if names come in the same order as before.
struct PropertyFinder {
  private let layout: EntityLayout
  private let names: ContiguousArray<String>
  /// The property that followed each one last time, by its index plus one; at 0 the first one. -1 for none.
  private var followers: ContiguousArray<Int>
  private var place = 0

  init(_ layout: EntityLayout) {
    self.layout = layout
    names = ContiguousArray(layout.properties.map(\.name))
    followers = ContiguousArray(repeating: -1, count: names.count + 1)
  }

  mutating func restart() { place = 0 }

  /// The property for a key that is text; nil for other keys.
  mutating func index<Key>(of key: UnsafePointer<Key>) -> Int? {
    key.exactly(String.self).flatMap { index(of: $0) }
  }

  mutating func index(of name: String) -> Int? {
    let guess = followers[place]
    if guess >= 0, names[guess] == name {
      place = guess + 1
      return guess
    }
    guard let index = layout.property(named: name)?.index else { return nil }
    followers[place] = index
    place = index + 1
    return index
  }
}
