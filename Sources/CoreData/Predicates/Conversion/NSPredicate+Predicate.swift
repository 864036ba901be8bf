import Foundation

extension _PredicateInitializers {
  /// Converts a predicate made by `#Predicate`: `NSPredicate(#Predicate<Book> { $0.pages > 200 })`.
  ///
  /// nil if the format language can't express it: regular expressions, casts, nested predicates, and key paths whose
  /// names can't be found. Like Apple's, it converts predicates of one object.
  public init?<Input>(_ predicate: Predicate<Input>) where Input: NSObject {
    guard let node = PredicateConversion.node(of: predicate, PredicateConversion.Rules()) else { return nil }
    self = NSPredicate.make(node) as! Self
  }
}

extension NSPredicate {
  /// Converts a predicate made by `#Predicate` for models of another kind, behind which are managed objects.
  ///
  /// nil as for `NSPredicate(_:)`.
  /// - Parameter names: the properties along a key path; empty for one that leads to the object itself.
  /// - Parameter constant: what stands in the predicate for a value of the program's.
  /// - Parameter isOpaque: whether what a key path leads to is stored as bytes that no store looks into.
  /// - Parameter areMembers: whether a type is that of a relationship's members, which are never nil.
  /// - Parameter entities: those whose objects are of a class; nil for a class that has none.
  package static func converting<Input>(
    _ predicate: Predicate<Input>, names: @escaping (AnyKeyPath) throws -> [String],
    constant: @escaping (Any) -> Any?, isOpaque: @escaping (AnyKeyPath) -> Bool,
    areMembers: @escaping (Any.Type) -> Bool,
    entities: @escaping (Any.Type) -> [NSEntityDescription]?
  ) -> NSPredicate? {
    PredicateConversion.node(
      of: predicate,
      PredicateConversion.Rules(
        names: names, constant: constant, isOpaque: isOpaque, areMembers: areMembers, entities: entities,
        areStored: true)
    ).map { NSPredicate.make($0) }
  }
}
