/// Reads the rows of a store: its newest state, or one generation of it.
///
/// May be called from any thread; a reader orders the calls itself. Rows that it returns are published in its cache.
package protocol RowReader: AnyObject {
  var rowCache: RowCache { get }

  /// Answers a fetch from committed rows.
  func rows(for fetch: FetchDescription) throws -> FetchOutcome

  /// The rows of these keys, in any order; keys that have no row are missing from the answer.
  /// All keys are of one entity hierarchy.
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot]

  /// The row of one key; nil if there is none. Firing a fault calls this, with the places of its entity, which name the
  /// hierarchy without counting references.
  func faultRow(forKey key: Int64, at places: PlaceTable) throws -> RowSnapshot?

  /// The members of a to-many relationship, in order where it is ordered.
  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference]

  /// The members if they are at most `limit`; nil if they are more. A reader for which reading all costs little more
  /// may return all.
  func members(of relationship: LayoutProperty, owner: RowReference, atMost limit: Int) throws -> [RowReference]?

  /// The rows of the members of a to-many relationship, for several owners of one entity: owner by owner, the
  /// members of each in order where they are ordered. Prefetching calls this.
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow]
}

/// A row that a relationship leads to, and the key of the object that has the relationship.
package struct MemberRow {
  package let owner: Int64
  package let row: RowSnapshot

  package init(owner: Int64, row: RowSnapshot) {
    self.owner = owner
    self.row = row
  }
}

/// Keeps one state of a store readable, for as long as this object lives.
package protocol StoreGeneration: AnyObject {
  /// A reader of that state. Throws if the store is gone.
  func reader() throws -> any RowReader
}

extension RowReader {
  package func members(
    of relationship: LayoutProperty, owner: RowReference, atMost limit: Int
  ) throws -> [RowReference]? {
    try members(of: relationship, owner: owner)
  }

  package func faultRow(forKey key: Int64, at places: PlaceTable) throws -> RowSnapshot? {
    try rows(forKeys: [key], in: places.layout.root).first
  }

  package func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try keys.flatMap { key -> [MemberRow] in
      let members = try members(of: relationship, owner: RowReference(entity: layout.index, key: key))
      guard let first = members.first else { return [] }
      let root = layout.model.layouts[Int(first.entity)].root
      let rows = try rows(forKeys: members.map(\.key), in: root)
      let byKey = Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      return members.compactMap { member in byKey[member.key].map { MemberRow(owner: key, row: $0) } }
    }
  }
}
