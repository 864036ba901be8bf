import CoreData

// As CoreData has them for managed objects. Programs that import SwiftData alone see none of CoreData's members.
extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a text, as `localizedStandardCompare(_:)` does. That is the default on Apple's systems; for the order of
  /// bytes give the comparator `.lexical`.
  public init(_ keyPath: KeyPath<Compared, String>, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \._inStandardOrder), order: order)
  }

  /// Sorts by a text that may be nil, as `localizedStandardCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String?>, order: SortOrder = .forward) {
    self.init(keyPath.appending(path: \._inStandardOrder), order: order)
  }

  /// Sorts by a text, as `localizedStandardCompare(_:)` or `localizedCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String>, comparator: _StandardTextOrder, order: SortOrder = .forward) {
    switch comparator {
    case .localizedStandard: self.init(keyPath, order: order)
    case .localized: self.init(keyPath.appending(path: \._inLocalizedOrder), order: order)
    }
  }

  /// Sorts by a text that may be nil, as `localizedStandardCompare(_:)` or `localizedCompare(_:)` does.
  public init(_ keyPath: KeyPath<Compared, String?>, comparator: _StandardTextOrder, order: SortOrder = .forward) {
    switch comparator {
    case .localizedStandard: self.init(keyPath, order: order)
    case .localized: self.init(keyPath.appending(path: \._inLocalizedOrder), order: order)
    }
  }
}
