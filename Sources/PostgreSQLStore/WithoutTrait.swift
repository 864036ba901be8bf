#if !PostgreSQL
public import CoreData
public import Foundation

extension NSPersistentStoreDescription {
  /// Not there without the trait: `.package(name: "Strata", path: "../Strata", traits: ["PostgreSQL"])`.
  @available(*, unavailable, message: "Ask for the trait PostgreSQL: .package(…, traits: [\"PostgreSQL\"])")
  public convenience init(postgreSQL url: URL) { fatalError("The trait PostgreSQL is missing.") }
}
#endif
