import Foundation
import Synchronization

/// The tree of a predicate whose class a program has written: `final class Typed<Root>: NSComparisonPredicate {}`.
///
/// Such an object has Foundation's fields and methods, none of which knows a tree. So it gets the fields of a block
/// predicate. The block evaluates the tree and holds this entry, which a table finds by the object's address.
final class SubclassedPredicate: Sendable {
  let evaluators: EvaluatorPool
  private let address: UInt
  private static let entries = Mutex<[UInt: Weakly]>([:])

  private struct Weakly: @unchecked Sendable { weak var entry: SubclassedPredicate? }

  private init(_ node: PredicateNode, of object: NSPredicate) {
    evaluators = EvaluatorPool(node)
    address = UInt(bitPattern: ObjectIdentifier(object))
  }

  // The object's fields end before its memory is free for another.
  deinit { Self.entries.withLock { $0[address] = nil } }

  /// The entry of a predicate that `make(_:_:)` has made; nil for any other.
  static func of(_ predicate: NSPredicate) -> SubclassedPredicate? {
    entries.withLock { $0[UInt(bitPattern: ObjectIdentifier(predicate))]?.entry }
  }

  /// Makes an object of a program's class. The class must not have stored properties: nothing would set their values.
  static func make<Class>(_ type: Class.Type, _ node: PredicateNode) -> Class {
    guard let ownClass = type as? NSPredicate.Type,
      ClassMetadata(ownClass).instanceSize == ClassMetadata(FoundationComparisonPredicate.self).instanceSize
    else {
      misuse(
        MisuseReport(
          "An initializer of CoreData can't make a predicate of a class with stored properties.",
          facts: [("Class", "\(type)"), ("Predicate", PredicatePrinter.print(node))], how: "",
          remedy: "Keep such values in an object that has the predicate."))
    }
    let object = allocateObject(ownClass, fieldsFrom: NSPredicate(value: true))
    let entry = SubclassedPredicate(node, of: object)
    entries.withLock { $0[entry.address] = Weakly(entry: entry) }
    exchangeFields(
      of: object,
      with: NSPredicate { asked, variables in
        do {
          return try entry.evaluators.evaluate(asked, variables ?? [:])
        } catch {
          misuse(.predicateNotEvaluable(entry.evaluators.node, object: asked, error: error))
        }
      })
    return object as! Class
  }
}
