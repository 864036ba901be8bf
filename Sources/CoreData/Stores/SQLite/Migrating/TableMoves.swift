/// The sources of one table of the destination.
struct TableMove {
  /// The rows that come from one table.
  struct Flow {
    let root: SourceRoot
    var entities: [EntityMove] = []
    /// The number that is added to their keys.
    var offset: Int64 = 0
  }

  /// An entity whose rows move.
  struct EntityMove {
    let source: SourceEntity
    let destination: DestinationEntity
  }

  var flows: [Flow] = []
  /// The root whose table becomes this one; nil for a new table.
  var predecessor: SourceRoot?
}

/// The moves of all tables, by the destination's root.
struct TableMoves {
  private var moves: [DestinationRoot: TableMove] = [:]

  subscript(table: TablePlan) -> TableMove { moves[DestinationRoot(index: table.root.index)] ?? TableMove() }

  /// The number that is added to the keys of a source table's rows in a destination's table.
  func offset(_ source: SourceRoot, _ destination: DestinationRoot) -> Int64 {
    moves[destination]?.flows.first { $0.root == source }?.offset ?? 0
  }

  /// The highest key of each table, by its root's Z_ENT.
  func maximumKeys(_ versions: MigrationVersions) -> [Int: Int64] {
    var keys: [Int: Int64] = [:]
    for (root, move) in moves {
      let last = move.flows.map { $0.offset + versions.maximumKey(of: $0.root) }.max()
      keys[versions.number(root.entity)] = last ?? 0
    }
    return keys
  }

  init(_ versions: MigrationVersions) throws {
    let tables = versions.destination.tables
    var taken: Set<SourceRoot> = []
    for table in tables {
      let root = DestinationRoot(index: table.root.index)
      var move = TableMove(flows: TableMoves.flows(to: root, versions))
      if let source = versions.origin[root.entity], versions.layout(source).isRoot {
        let predecessor = versions.root(of: source)
        if taken.insert(predecessor).inserted { move.predecessor = predecessor }
      }
      moves[root] = move
    }
    // A root without a predecessor gets the first of the other tables that is not taken.
    for table in tables {
      let root = DestinationRoot(index: table.root.index)
      guard moves[root]!.predecessor == nil, let flow = moves[root]!.flows.first(where: { !taken.contains($0.root) })
      else {
        continue
      }
      moves[root]!.predecessor = flow.root
      taken.insert(flow.root)
    }
    moves = try moves.mapValues { try TableMoves.withOffsets($0, versions) }
  }

  private static func flows(to root: DestinationRoot, _ versions: MigrationVersions) -> [TableMove.Flow] {
    var flows: [TableMove.Flow] = []
    for entity in versions.subtree(root.entity) {
      guard let source = versions.origin[entity] else { continue }
      let root = versions.root(of: source)
      let index = flows.firstIndex { $0.root == root } ?? flows.count
      if index == flows.count { flows.append(TableMove.Flow(root: root)) }
      flows[index].entities.append(TableMove.EntityMove(source: source, destination: entity))
    }
    return flows
  }

  /// Sets the offsets. The predecessor's rows come first and keep their keys.
  private static func withOffsets(_ move: TableMove, _ versions: MigrationVersions) throws -> TableMove {
    var move = move
    move.flows.sort {
      ($0.root == move.predecessor ? 0 : 1, $0.root.index) < ($1.root == move.predecessor ? 0 : 1, $1.root.index)
    }
    var last: Int64 = 0
    for index in move.flows.indices {
      move.flows[index].offset = last
      let (sum, overflow) = last.addingReportingOverflow(versions.maximumKey(of: move.flows[index].root))
      guard !overflow else {
        throw versions.existing.misfit("Z_PRIMARYKEY", "its Z_MAX leave too few keys for the rows of two tables in one")
      }
      last = sum
    }
    return move
  }
}
