import CoreData
import ExerciseSupport

/// The kinds of writers in the shop.
enum ShopWriter {
  /// A person at a form. What they typed wins over what was saved meanwhile.
  case editor
  /// A service in the background that suggests prices. What others have saved meanwhile wins over it.
  case priceService
}

/// The policy of a writer's context. Properties that only one side has changed are kept in any case.
func mergePolicy(for writer: ShopWriter) throws -> NSMergePolicy {
  switch writer {
  // What matters: overwrite would let the editor win too, and would take back what was changed elsewhere in the object.
  //= case .editor: NSMergePolicy.overwrite
  case .editor: NSMergePolicy.mergeByPropertyObjectTrump
  case .priceService: NSMergePolicy.mergeByPropertyStoreTrump
  }
}
