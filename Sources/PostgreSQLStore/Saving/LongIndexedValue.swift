internal import CoreData
import Foundation

/// A value that may be too long for an index. PostgreSQL's indexes take up to 2,704 bytes, after compression, and the
/// server's error names neither the value nor, above 8 kB, the index.
struct LongIndexedValue {
  private let entity: String
  private let attribute: String
  private let index: String
  private let count: Int

  /// The shortest value that is worth a word, in bytes: several of them may be in one index.
  private static let shortest = 500

  /// Returns an error of the state 54000, a limit of the server, with the longest value that the rows have
  /// in an index. Other errors stay as they are, and so do those of other limits: an error's only mark is its words.
  static func explained(_ error: ServerError, _ rows: [RowSnapshot], _ layouts: ModelLayouts) -> ServerError {
    guard error.state == "54000", error.message.range(of: "index", options: .caseInsensitive) != nil,
      let longest = rows.compactMap({ LongIndexedValue($0, layouts) }).max(by: { $0.count < $1.count })
    else { return error }
    return ServerError(
      state: error.state,
      message: "\(error.message). The longest value in an index is that of \(longest.entity).\(longest.attribute), "
        + "\(longest.count) bytes in \(longest.index); PostgreSQL's indexes take up to 2,704 bytes, after compression",
      constraint: error.constraint, sql: error.sql)
  }

  private init?(_ row: RowSnapshot, _ layouts: ModelLayouts) {
    let layout = layouts[row.entity]
    var longest: (name: String, index: String, count: Int)?
    for (index, names) in LongIndexedValue.indexes(of: layout, layouts) {
      for name in names {
        guard let property = layout.property(named: name), property.slot >= 0,
          property.form == .text || property.form == .bytes, !row.isNull(slot: property.slot)
        else { continue }
        let count = row.tail(word: property.word).count
        if count > longest?.count ?? LongIndexedValue.shortest { longest = (name, index, count) }
      }
    }
    guard let found = longest else { return nil }
    entity = layout.name
    attribute = found.name
    index = found.index
    count = found.count
  }

  /// The indexes that a row of an entity is in, and their attributes.
  private static func indexes(
    of layout: EntityLayout, _ layouts: ModelLayouts
  ) -> [(index: String, attributes: [String])] {
    var found: [(index: String, attributes: [String])] = []
    for (name, attribute) in layout.entity.attributesByName where attribute.isIndexed {
      found.append((index: "its index", attributes: [name]))
    }
    var place = layout.index
    while place >= 0 {
      let declaring = layouts[place]
      for (names, stated) in zip(declaring.constraints, declaring.entity.constraintNames) {
        found.append((index: "Z_\(declaring.name)_UNIQUE_\(stated.joined(separator: "_"))", attributes: names))
      }
      for index in declaring.entity.indexes {
        found.append(
          (index: "Z_\(declaring.name)_\(index.name)", attributes: index.elements.compactMap { $0.propertyName }))
      }
      place = declaring.superIndex
    }
    return found
  }
}
