extension RowSnapshot {
  /// The tail bytes of a slot that is not nil, in the words of a row or of changed values. Valid as long as these are.
  static func tail(_ words: UnsafePointer<UInt64>, word: Int) -> UnsafeRawBufferPointer {
    let entry = words[word]
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(words) + Int(entry & 0xFFFF_FFFF), count: Int(entry >> 32))
  }

  /// This row with all texts in UTF-8; nil if they are. A text in another program's SQLite file may not be. Its broken
  /// parts are replaced, as in a `String`, for stores that can't keep them: no parser reads such an XML file, and a
  /// server refuses such a text.
  final func withUnicodeTexts(_ layout: EntityLayout) -> RowSnapshot? {
    let broken = layout.slots.filter { property in
      property.form == .text && property.word >= 0 && !isNull(slot: property.slot)
        && !RowSnapshot.isUnicode(tail(word: property.word))
    }
    if broken.isEmpty { return nil }
    var builder = RowBuilder()
    builder.beginRow(from: self)
    for property in broken {
      builder.setText(string(word: property.word), slot: property.slot, word: property.word)
    }
    return builder.finishRow(key: key, version: version, entity: entity)
  }

  private static func isUnicode(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy { $0 < 0x80 } || String(validating: text, as: UTF8.self) != nil
  }
}
