/// The names of columns and tables that a migration has put aside, to be dropped later.
enum DeferredNames {
  static let prefix = "DEFERRED_"

  /// A name that the file does not have.
  static func name(for name: String, unlike existing: ExistingSchema) -> String {
    // What is put aside twice under one name, in two migrations, has different numbers.
    let taken = Set(existing.tables.values.flatMap { $0.map(\.name) }).union(existing.deferredTables)
    var number = 1
    while taken.contains(SQLName.quoted("\(prefix)\(number)_\(name)")) { number += 1 }
    return SQLName.quoted("\(prefix)\(number)_\(name)")
  }
}
