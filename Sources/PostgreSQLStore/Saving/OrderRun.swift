internal import CoreData
import Foundation

/// Numbers the members of ordered relationships. For each relationship, one statement reads the numbers of all owners
/// and another writes the changed ones.
struct OrderRun {
  /// The table and columns that hold the numbers of a relationship.
  private struct Place: Hashable {
    let table: String
    let owner: String
    let member: String
    let order: String
  }

  private var orders: [Place: [(owner: Int64, members: [Int64])]] = [:]

  init(_ links: [LinkChange], _ schema: StoreSchema) {
    for link in links {
      guard let order = link.order else { continue }
      let place: Place
      switch schema.entity(at: Int(link.owner.entity)).toMany[link.relationship.toManyIndex] {
      case .foreignKey(let table, let column, let order?), .hiddenKey(let table, let column, let order?):
        place = Place(table: table, owner: column, member: "Z_PK", order: order)
      case .join(let side):
        guard let order = side.order else { continue }
        place = Place(table: side.table.name, owner: side.owner, member: side.member, order: order)
      case .foreignKey, .hiddenKey, .none: continue
      }
      orders[place, default: []].append((link.owner.key, order.map(\.key)))
    }
  }

  func run(_ connection: Connection) throws {
    for (place, lists) in orders.sorted(by: { $0.key.table < $1.key.table }) { try run(place, lists, connection) }
  }

  private func run(
    _ place: Place, _ lists: [(owner: Int64, members: [Int64])], _ connection: Connection
  ) throws {
    var parameters = Parameters()
    parameters.add(keys: lists.map(\.owner))
    let rows = try connection.execute(
      "SELECT \(place.owner), \(place.member), \(place.order) FROM \(place.table) "
        + "WHERE \(place.owner) = ANY ($1) AND \(place.order) IS NOT NULL", parameters)
    var old: [KeyPair: Int64] = [:]
    for row in 0..<rows.count { old[KeyPair(rows.int(row, 0), rows.int(row, 1))] = rows.int(row, 2) }
    var (owners, members, numbers) = ([Int64](), [Int64](), [Int64]())
    for list in lists {
      let stored = list.members.map { old[KeyPair(list.owner, $0)] }
      for (index, number) in OrderKeys.assign(stored).enumerated() where number != stored[index] {
        owners.append(list.owner)
        members.append(list.members[index])
        numbers.append(number)
      }
    }
    if members.isEmpty { return }
    var changed = Parameters()
    changed.add(keys: owners)
    changed.add(keys: members)
    changed.add(keys: numbers)
    try connection.execute(
      "UPDATE \(place.table) SET \(place.order) = n.number "
        + "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS n (owner, member, number) "
        + "WHERE \(place.member) = n.member AND \(place.owner) = n.owner", changed)
  }
}
