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

  /// What a save says about the order of one owner's members.
  private struct Order {
    let owner: Int64
    /// All members in their order; or some that follow those in the table.
    let members: [Int64]
    let isWhole: Bool

    init(_ link: LinkChange) {
      owner = link.owner.key
      members = (link.order ?? link.added).map(\.key)
      isWhole = link.order != nil
    }

    /// All members in their order, if these are in the table.
    func all(_ stored: [Int64: Int64]) -> [Int64] {
      if isWhole { return members }
      let followers = Set(members)
      return OrderKeys.members(inOrderOf: stored.filter { !followers.contains($0.key) }) + members
    }
  }

  private var orders: [Place: [Order]] = [:]

  init(_ links: [LinkChange], _ schema: StoreSchema) {
    for link in links {
      if !link.relationship.isOrdered || link.order == nil && link.added.isEmpty { continue }
      let place: Place
      switch schema.entity(at: Int(link.owner.entity)).toMany[link.relationship.toManyIndex] {
      case .foreignKey(let table, let column, let order?), .hiddenKey(let table, let column, let order?):
        place = Place(table: table, owner: column, member: "Z_PK", order: order)
      case .join(let side):
        guard let order = side.order else { continue }
        place = Place(table: side.table.name, owner: side.owner, member: side.member, order: order)
      case .foreignKey, .hiddenKey, .none: continue
      }
      orders[place, default: []].append(Order(link))
    }
  }

  func run(_ connection: Connection) throws {
    for (place, orders) in orders.sorted(by: { $0.key.table < $1.key.table }) { try run(place, orders, connection) }
  }

  private func run(_ place: Place, _ orders: [Order], _ connection: Connection) throws {
    var parameters = Parameters()
    parameters.add(keys: orders.map(\.owner))
    let rows = try connection.execute(
      "SELECT \(place.owner), \(place.member), \(place.order) FROM \(place.table) "
        + "WHERE \(place.owner) = ANY ($1) AND \(place.order) IS NOT NULL", parameters)
    /// By owner, then by member.
    var stored: [Int64: [Int64: Int64]] = [:]
    for row in 0..<rows.count { stored[rows.int(row, 0), default: [:]][rows.int(row, 1)] = rows.int(row, 2) }
    var (owners, members, numbers) = ([Int64](), [Int64](), [Int64]())
    for order in orders {
      let old = stored[order.owner] ?? [:]
      let all = order.all(old)
      let oldNumbers = all.map { old[$0] }
      for (index, number) in OrderKeys.assign(oldNumbers).enumerated() where number != oldNumbers[index] {
        owners.append(order.owner)
        members.append(all[index])
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
