import Foundation

/// Two files, beside each other. Every list has an entry for each thing that either has.
public struct ShapeComparison {
  public let theirs: StoreShape
  public let ours: StoreShape

  public init(theirs: StoreShape, ours: StoreShape) {
    self.theirs = theirs
    self.ours = ours
  }

  /// One thing, and what there is to say of it: `same`, or what each side has.
  public struct Line: Equatable {
    public let name: String
    public let verdict: String
    public var isSame: Bool { verdict == "same" }
  }

  /// Each table: its columns by name, type and place, and its key.
  public var tables: [Line] { compare(theirs.tables, ours.tables) }

  /// Each index: its table, its columns and their order.
  public var indexes: [Line] { compare(theirs.indexes, ours.indexes) }

  private func compare(
    _ theirs: [StoreShape.Definition], _ ours: [StoreShape.Definition]
  ) -> [Line] {
    let names =
      theirs.map(\.name)
      + ours.map(\.name).filter { name in
        !theirs.contains { $0.name == name }
      }
    return names.map { name in
      let (left, right) = (theirs.first { $0.name == name }, ours.first { $0.name == name })
      guard let left else { return Line(name: name, verdict: "ours only") }
      guard let right else { return Line(name: name, verdict: "theirs only") }
      return Line(name: name, verdict: left == right ? "same" : Self.difference(left.parts, right.parts))
    }
  }

  private static func difference(_ theirs: [String], _ ours: [String]) -> String {
    let missing = theirs.filter { !ours.contains($0) }.map { "theirs only: \($0)" }
    let added = ours.filter { !theirs.contains($0) }.map { "ours only: \($0)" }
    let all = missing + added
    return all.isEmpty ? "in another order" : all.joined(separator: "; ")
  }

  /// Whether SQLite lists tables and indexes in the same order.
  public var order: Line {
    let same = theirs.definitions.map(\.name) == ours.definitions.map(\.name)
    return Line(name: "order of sqlite_master", verdict: same ? "same" : "another")
  }

  /// The rows of Z_PRIMARYKEY.
  public var primaryKeys: [Line] {
    let rows = { (shape: StoreShape) in
      Dictionary(shape.primaryKeys.map { ($0[0], $0[1...].joined(separator: " ")) }) { $1 }
    }
    return compare(rows(theirs), rows(ours))
  }

  public var versionHashes: [Line] { compare(theirs.versionHashes, ours.versionHashes) }
  public var metadata: [Line] { compare(theirs.metadata, ours.metadata) }
  public var header: [Line] { compare(theirs.header, ours.header) }

  private func compare(_ theirs: [String: String], _ ours: [String: String]) -> [Line] {
    Set(theirs.keys).union(ours.keys).sorted().map { name in
      let (left, right) = (theirs[name], ours[name])
      if left == right { return Line(name: name, verdict: "same") }
      return Line(name: name, verdict: "theirs \(left ?? "nothing"), ours \(right ?? "nothing")")
    }
  }
}
