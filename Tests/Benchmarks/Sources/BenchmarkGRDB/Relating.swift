import BenchmarkDriver
import BenchmarkWorkload
import GRDB

/// The operations on relationships, by GRDB's prepared statements: what a program writes that keeps join tables
/// and orders itself.
struct Relating {
  let run: Run
  let queue: DatabaseQueue

  /// Runs the operation if it is one of these.
  static func run(_ run: Run) throws -> Bool {
    let operations: [String: (Relating) throws -> Void] = [
      "tag": { try $0.insert(tagging: true, shelving: false) },
      "shelve": { try $0.insert(tagging: false, shelving: true) },
      "retag": { try $0.retag() },
      "move": { try $0.move() },
      "reorder": { try $0.reorder() },
    ]
    guard run.variant == "statement", let operation = operations[run.operation] else { return false }
    let queue = try openQueue(run)
    try operation(Relating(run: run, queue: queue))
    try queue.close()
    return true
  }

  private var tagCount: Int { benchmark_tag_count(run.size) }
  private var shelfCount: Int { benchmark_shelf_count(run.size) }

  /// The keys of an ordered relationship: the first member's, and the distance between neighbours.
  private let firstOrder = 2048
  private let orderStep = 1024

  private func insert(tagging: Bool, shelving: Bool) throws {
    try queue.write { db in try db.execute(sql: String(cString: benchmark_relations_schema())) }
    let library = Library(bookCount: run.size)
    let (tagCount, shelfCount) = (tagCount, shelfCount)
    run.measure {
      try queue.write { db in
        if tagging { try insertNumbered(db, entity: 2, table: "ZTAG", count: tagCount) }
        if shelving { try insertNumbered(db, entity: 1, table: "ZSHELF", count: shelfCount) }
        let insert = try db.makeStatement(
          sql: """
            INSERT INTO ZVOLUME (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZSHELF, Z_FOK_SHELF, ZISBN, ZTITLE) \
            VALUES (?, 3, 1, ?, ?, ?, ?, ?)
            """)
        let pair = try db.makeStatement(sql: "INSERT INTO Z_2VOLUMES (Z_2TAGS, Z_3VOLUMES) VALUES (?, ?)")
        for (number, book) in library.books.enumerated() {
          let shelf = shelving ? benchmark_shelf(number, shelfCount) + 1 : nil
          let order = shelving ? firstOrder + orderStep * (number / shelfCount) : nil
          insert.setUncheckedArguments([number + 1, number, shelf, order, book.isbn, book.title])
          try insert.execute()
          if tagging {
            for place in 0..<Int(BENCHMARK_TAGS_PER_VOLUME) {
              pair.setUncheckedArguments([benchmark_tag(number, place, tagCount) + 1, number + 1])
              try pair.execute()
            }
          }
        }
        try setGreatestKey(db, entity: 3, run.size)
      }
    }
  }

  private func insertNumbered(_ db: Database, entity: Int, table: String, count: Int) throws {
    let statement = try db.makeStatement(
      sql: "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZNUMBER) VALUES (?, \(entity), 1, ?)")
    for number in 0..<count {
      statement.setUncheckedArguments([number + 1, number])
      try statement.execute()
    }
    try setGreatestKey(db, entity: entity, count)
  }

  private func setGreatestKey(_ db: Database, entity: Int, _ key: Int) throws {
    try db.execute(
      sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = ?", arguments: [key, entity])
  }

  private func retag() throws {
    run.measure {
      try queue.write { db in
        let leave = try db.makeStatement(sql: "DELETE FROM Z_2VOLUMES WHERE Z_2TAGS = ? AND Z_3VOLUMES = ?")
        let come = try db.makeStatement(sql: "INSERT INTO Z_2VOLUMES (Z_2TAGS, Z_3VOLUMES) VALUES (?, ?)")
        let touch = try db.makeStatement(sql: "UPDATE ZVOLUME SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        var changedTags = Set<Int>()
        for volume in changedVolumes {
          let old = benchmark_tag(volume, volume % Int(BENCHMARK_TAGS_PER_VOLUME), tagCount)
          let new = benchmark_tag(volume, Int(BENCHMARK_TAGS_PER_VOLUME), tagCount)
          changedTags.formUnion([old, new])
          leave.setUncheckedArguments([old + 1, volume + 1])
          try leave.execute()
          come.setUncheckedArguments([new + 1, volume + 1])
          try come.execute()
          touch.setUncheckedArguments([volume + 1])
          try touch.execute()
        }
        try raiseVersions(db, table: "ZTAG", changedTags)
      }
    }
  }

  private func move() throws {
    run.measure {
      try queue.write { db in
        var changedShelves = Set<Int>()
        for volume in changedVolumes {
          changedShelves.insert(benchmark_shelf(volume, shelfCount))
          changedShelves.insert(benchmark_next_shelf(volume, shelfCount))
        }
        let greatest = try db.makeStatement(sql: "SELECT max(Z_FOK_SHELF) FROM ZVOLUME WHERE ZSHELF = ?")
        var last: [Int: Int] = [:]
        for shelf in changedShelves {
          last[shelf] = try Int.fetchOne(greatest, arguments: [shelf + 1]) ?? firstOrder - orderStep
        }
        let update = try db.makeStatement(
          sql: "UPDATE ZVOLUME SET ZSHELF = ?, Z_FOK_SHELF = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        for volume in changedVolumes {
          let shelf = benchmark_next_shelf(volume, shelfCount)
          last[shelf]! += orderStep
          update.setUncheckedArguments([shelf + 1, last[shelf], volume + 1])
          try update.execute()
        }
        try raiseVersions(db, table: "ZSHELF", changedShelves)
      }
    }
  }

  private func reorder() throws {
    run.measure {
      try queue.write { db in
        let update = try db.makeStatement(sql: "UPDATE ZVOLUME SET Z_FOK_SHELF = ? WHERE Z_PK = ?")
        let changed = Array(stride(from: 0, to: shelfCount, by: 2))
        for shelf in changed {
          let members = try members(db, of: shelf)
          let room = members[0].order
          if shelf % 4 == 0 {
            update.setUncheckedArguments([room / 2, members.last!.key])
            try update.execute()
          } else {
            for (index, member) in members.reversed().dropLast().enumerated() {
              update.setUncheckedArguments([room / members.count * (index + 1), member.key])
              try update.execute()
            }
          }
        }
        try raiseVersions(db, table: "ZSHELF", changed)
      }
    }
  }

  private func members(_ db: Database, of shelf: Int) throws -> [(key: Int, order: Int)] {
    let statement = try db.cachedStatement(
      sql: "SELECT Z_PK, Z_FOK_SHELF FROM ZVOLUME WHERE ZSHELF = ? ORDER BY Z_FOK_SHELF")
    return try Row.fetchAll(statement, arguments: [shelf + 1]).map { ($0[0], $0[1]) }
  }

  private func raiseVersions(_ db: Database, table: String, _ numbers: some Sequence<Int>) throws {
    let statement = try db.makeStatement(sql: "UPDATE \(table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
    for number in numbers {
      statement.setUncheckedArguments([number + 1])
      try statement.execute()
    }
  }

  private var changedVolumes: some Sequence<Int> {
    (0..<benchmark_changed_count(run.size)).lazy.map { benchmark_changed_volume($0, run.size) }
  }
}
