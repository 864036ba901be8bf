/// Finds the row of `Z_PRIMARYKEY` and the table of an entity.
extension ExistingSchema {
  /// The first Z_ENT that is not an entity of a model's: history and CloudKit use the numbers from here on.
  static let firstForeignNumber = 16_000

  /// The Z_ENT of each entity, by layout index.
  ///
  /// A file that was migrated in place after an entity was renamed may keep the old name in `Z_PRIMARYKEY`, while its
  /// metadata has the new one. Such a row is found by the renaming identifier. If that fails, it is the only row left
  /// under its parent, or the row with the entity's number in the model.
  func numbers(of members: [EntityLayout]) throws -> [Int: Int] {
    var rows = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var numbers: [Int: Int] = [:]
    for layout in members {
      if let row = rows.removeValue(forKey: layout.name) { numbers[layout.index] = row.number }
    }
    var spare = rows.values.filter { !hashedNames.contains($0.name) }.sorted(on: \.number)
    let nameless = members.filter { numbers[$0.index] == nil }
    for layout in nameless {
      guard hashedNames.contains(layout.name) else {
        throw misfit("Z_PRIMARYKEY", "it has no row for the entity \(layout.name)")
      }
      let parent = layout.superIndex < 0 ? 0 : numbers[layout.superIndex] ?? 0
      let siblings = nameless.filter { $0.superIndex == layout.superIndex && numbers[$0.index] == nil }
      let candidates = spare.filter {
        $0.parent == parent && (parent != 0 || table(ofRoot: layout.name, $0.name) != nil)
      }
      let place = (members.firstIndex { $0 === layout } ?? 0) + 1
      guard
        let row = candidates.first(where: { $0.name == layout.entity.renamingIdentifier })
          ?? (candidates.count == 1 && siblings.count == 1 ? candidates[0] : nil)
          ?? candidates.first(where: { $0.number == place })
      else { throw misfit("Z_PRIMARYKEY", "it has no row for the entity \(layout.name)") }
      numbers[layout.index] = row.number
      spare.removeAll { $0.number == row.number }
    }
    return numbers
  }

  /// The table of a root entity. `storedName` is the entity's name in `Z_PRIMARYKEY`, which may be an older one.
  func table(ofRoot name: String, _ storedName: String? = nil) -> String? {
    [name, storedName].compactMap { $0 }.map { SQLName.quoted("Z" + $0.uppercased()) }
      .first { tables[$0] != nil }
  }

  func storedName(ofNumber number: Int) -> String? { entities.first { $0.number == number }?.name }
}
