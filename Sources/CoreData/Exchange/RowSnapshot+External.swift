/// Values in files of their own; see ``ExternalReference``.
extension RowSnapshot {
  /// Whether a binary slot, which isn't null, has a reference to a file instead of bytes.
  final func isReference(word: Int) -> Bool { words[word] >> 63 != 0 }

  /// The bytes of a reference.
  final func referenceBytes(word: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(words) + Int(words[word] & 0xFFFF_FFFF), count: ExternalReference.length)
  }

  final func externalReference(word: Int) -> ExternalReference {
    let bytes = referenceBytes(word: word)
    return ExternalReference(
      name: String(decoding: bytes.prefix(ExternalReference.nameLength), as: UTF8.self),
      source: Int(bytes.loadUnaligned(fromByteOffset: ExternalReference.nameLength, as: UInt32.self)))
  }

  /// A binary value, in the row or in a file; nil if the slot is null.
  ///
  /// - Throws: what is wrong with its file.
  final func data(_ property: LayoutProperty, asksStore: Bool = true) throws -> Data? {
    if property.word < 0 || isNull(slot: property.slot) { return nil }
    guard isReference(word: property.word) else { return Data(tail(word: property.word)) }
    let reference = externalReference(word: property.word)
    return try ExternalSources[reference.source].data(
      reference, property, of: self.reference, asksStore: asksStore)
  }

  /// A binary value that lies in a file, where nothing can be thrown: null if the file can't be read, and a line in the
  /// log says why.
  @inline(never)
  final func externalValue(_ property: LayoutProperty) -> Value {
    do { return try data(property).map(Value.data) ?? .null } catch {
      UnreadableValues.report(error, property, of: self)
      return .null
    }
  }

  /// Whether a slot is equal in both rows, at least one of which has a reference. Files never change, so equal names
  /// mean equal values. Different names mean different values, since each value that is set gets a new file.
  final func isSameExternal(_ property: LayoutProperty, as other: RowSnapshot) -> Bool {
    if isReference(word: property.word), other.isReference(word: property.word) {
      return externalReference(word: property.word).name == other.externalReference(word: property.word).name
    }
    guard let mine = try? data(property), let others = try? other.data(property) else { return false }
    return mine == others
  }

  /// This row with bytes in place of references, for a store that keeps all values in its rows.
  final func withExternalValues(_ layout: EntityLayout) throws -> RowSnapshot {
    var builder = RowBuilder()
    builder.beginRow(layout)
    for property in layout.slots where property.word >= 0 && !isNull(slot: property.slot) {
      if layout.external.contains(where: { $0 === property }), isReference(word: property.word) {
        guard let data = try data(property) else { continue }
        data.withUnsafeBytes { builder.setBytes($0, slot: property.slot, word: property.word) }
      } else {
        builder.copy(property, from: self)
      }
    }
    return builder.finishRow(key: key, version: version, entity: entity)
  }

  /// This row in the form that keeps the files it refers to; itself if it refers to none.
  final func holdingFiles(_ layout: EntityLayout) -> RowSnapshot {
    var names: [UUID] = []
    for property in layout.external where !isNull(slot: property.slot) && isReference(word: property.word) {
      // A text that can't be the name of such a file is never opened or removed.
      if let name = ExternalReference.uuid(
        UnsafeRawBufferPointer(rebasing: referenceBytes(word: property.word).prefix(ExternalReference.nameLength)))
      {
        names.append(name)
      }
    }
    return names.isEmpty ? self : ReferringRow.make(self, holding: names)
  }
}

extension ChangeSet {
  /// These rows with the values in place of references. Objects whose store was migrated to one that keeps values in
  /// its rows still have the rows of the former store.
  package func withExternalValues(_ layouts: ModelLayouts) throws -> ChangeSet {
    func whole(_ row: RowSnapshot) throws -> RowSnapshot {
      let layout = layouts[row.entity]
      let refers = layout.external.contains { !row.isNull(slot: $0.slot) && row.isReference(word: $0.word) }
      return refers ? try row.withExternalValues(layout) : row
    }
    let changes = ChangeSet()
    changes.inserted = try inserted.map(whole)
    changes.updated = try updated.map { RowUpdate(row: try whole($0.row), base: $0.base, changed: $0.changed) }
    (changes.deleted, changes.links, changes.locked) = (deleted, links, locked)
    (changes.toManyUpdates, changes.proposedKeys, changes.origin) = (toManyUpdates, proposedKeys, origin)
    return changes
  }
}

/// A row that refers to files, which are not removed as long as it lives.
///
/// After the words and the tail, at the next multiple of eight bytes, come the names, 16 bytes each, and then their
/// number in a word.
final class ReferringRow: RowSnapshot {
  static func make(_ row: RowSnapshot, holding names: [UUID]) -> RowSnapshot {
    let start = (row.byteCount + 7) / 8
    let count = start + names.count * 2 + 1
    let buffer = ReferringRow.create(minimumCapacity: count) { _ in
      RowHeader(
        key: row.key, version: row.version, entity: Int32(row.entity), byteCount: Int32(count * 8), cache: nil)
    }
    buffer.withUnsafeMutablePointerToElements { words in
      // Equal rows have equal bytes, including the padding of the last word.
      words[start - 1] = 0
      UnsafeMutableRawPointer(words).copyMemory(from: row.words, byteCount: row.byteCount)
      UnsafeMutableRawPointer(words + start).copyMemory(from: names, byteCount: names.count * 16)
      words[count - 1] = UInt64(names.count)
    }
    ExternalHolds.hold(names)
    return unsafeDowncast(buffer, to: ReferringRow.self)
  }

  deinit {
    let end = words + byteCount / 8 - 1
    let count = Int(end.pointee)
    (end - count * 2).withMemoryRebound(to: UUID.self, capacity: count) {
      ExternalHolds.release(UnsafeBufferPointer(start: $0, count: count))
    }
  }
}

/// Reports values that could not be read where nothing can be thrown, once for each file.
enum UnreadableValues {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var told: Set<String> = []

  static func report(_ error: any Error, _ property: LayoutProperty, of row: RowSnapshot) {
    report(error, property, row: row.key, file: row.externalReference(word: property.word).name)
  }

  static func report(_ error: any Error, _ property: LayoutProperty, row: Int64, file name: String) {
    let isNew = lock.withLock { told.count < 1000 && told.insert(name).inserted }
    if isNew { warn(.unreadableValue(error, property: property, row: row)) }
  }
}

extension MisuseReport {
  fileprivate static func unreadableValue(
    _ error: any Error, property: LayoutProperty, row: Int64
  ) -> MisuseReport {
    let entity = property.description.entity.name ?? "an entity without a name"
    return MisuseReport(
      "\(entity).\(property.name) of row \(row) could not be read; it reads as nil.",
      facts: [("Error", (error as? Failure)?.description ?? error.localizedDescription)],
      how: "The store keeps a long value in a file of its own.",
      remedy: "Put the file back, or set the property again"
        + (property.kind == .binary
          ? "; object.value(checkedForKey: \"\(property.name)\") throws this error instead." : "."))
  }
}
