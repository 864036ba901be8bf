import Foundation

/// A predicate class of this module, which has its tree.
protocol NodePredicate: NSPredicate {
  var storedNode: PredicateNode { get }
  /// Compiled at the first evaluation, and free for one evaluation at a time.
  var evaluators: EvaluatorPool { get }
}

typealias ComparisonNodePredicate = OwnComparisonType<OwnPredicateClasses>

extension OwnPredicateClasses {
  /// A comparison: what the parser makes of `a == b`, and what `NSComparisonPredicate(leftExpression:…)` makes.
  ///
  /// Foundation's class has no initializer that works, so instances come from `make(_:)`, which fills an object
  /// of this class by hand: Foundation's fields are copied from a constant predicate, ours begin as zeros,
  /// which is nil.
  // Immutable after `make(_:)`.
  @available(*, deprecated)
  final class Comparison: NSComparisonPredicate, NodePredicate {
    /// The copy shares the node.
    private var content: EvaluatorPool?

    static func make(_ comparison: CoreData.Comparison) -> ComparisonNodePredicate {
      let object = allocateObject(ComparisonNodePredicate.self, fieldsFrom: NSPredicate(value: true))
      object.content = EvaluatorPool(.comparison(comparison))
      return object
    }

    var comparison: CoreData.Comparison {
      guard case .comparison(let comparison) = content!.node else { fatalError("no comparison") }
      return comparison
    }
    var storedNode: PredicateNode { content!.node }
    var evaluators: EvaluatorPool { content! }

    override var predicateFormat: String { PredicatePrinter.print(storedNode, style: .description) }
    override var description: String { predicateFormat }
    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { isEqualPredicate(object) }
    override var hash: Int { storedNode.hashValue }
    override func evaluate(with object: Any?) -> Bool { evaluateOrTrap(object, [:]) }
    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
      evaluateOrTrap(object, bindings ?? [:])
    }
  }
}

/// AND, OR and NOT as the parser makes them.
// It never changes.
final class CompoundNodePredicate: NSCompoundPredicate, NodePredicate {
  let evaluators: EvaluatorPool
  /// Foundation requires one under a NOT. It is never read.
  private static let placeholder = [NSPredicate(value: true)]

  init(_ type: NSCompoundPredicate.LogicalType, node: PredicateNode) {
    evaluators = EvaluatorPool(node)
    super.init(type: type, subpredicates: type == .not ? CompoundNodePredicate.placeholder : [])
  }

  var storedNode: PredicateNode { evaluators.node }

  /// Made on demand, since most predicates are only evaluated or used in fetches, which need just the tree.
  override var subpredicates: [NSPredicate] {
    get {
      switch storedNode {
      case .and(let members), .or(let members): members.map(NSPredicate.make)
      case .not(let member): [NSPredicate.make(member)]
      default: []
      }
    }
    // Foundation's own initializer sets fields that are never read.
    set {}
  }

  required init?(coder: NSCoder) { fatalError("NSCompoundPredicate(coder:) is not implemented.") }

  override var predicateFormat: String { PredicatePrinter.print(storedNode, style: .description) }
  override var description: String { predicateFormat }
  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { isEqualPredicate(object) }
  override var hash: Int { storedNode.hashValue }
  override func evaluate(with object: Any?) -> Bool { evaluateOrTrap(object, [:]) }
  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    evaluateOrTrap(object, bindings ?? [:])
  }
}

extension NSPredicate {
  /// Whether the other one has the same tree: a predicate of this module, a compound of Foundation's, or a constant.
  func isEqualPredicate(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    if other === self { return true }
    guard let node = try? node, let otherNode = try? other.node else { return false }
    return node == otherNode
  }
}

extension NodePredicate {
  func evaluateOrTrap(_ object: Any?, _ variables: [String: Any]) -> Bool {
    do {
      return try evaluators.evaluate(object, variables)
    } catch {
      misuse(.predicateNotEvaluable(storedNode, object: object, error: error))
    }
  }
}

extension NSPredicate {
  /// An equivalent predicate of this module, if this is a plain compound of Foundation's, or was made by this module's
  /// initializers for a program's subclass. Those can be evaluated, but subclasses call themselves FALSEPREDICATE or
  /// BLOCKPREDICATE, and are only equal to themselves; so do compounds where `CompoundWords` can't help.
  var printableTwin: NSPredicate? {
    let type = type(of: self)
    if type == ComparisonNodePredicate.self || type == CompoundNodePredicate.self { return nil }
    if let own = SubclassedPredicate.of(self) { return NSPredicate.make(own.evaluators.node) }
    guard type == NSCompoundPredicate.self, let node = try? node else { return nil }
    return NSPredicate.make(node)
  }

  /// The predicate object of a tree for an initializer: of the class that Apple's parser would choose, or of a
  /// program's subclass.
  static func make<Class>(_ node: PredicateNode, as type: Class.Type) -> Class {
    let predicate = make(node)
    // The cast makes the type of its optional result again each time, which costs a tenth of parsing a comparison.
    if type == NSPredicate.self { return unsafeBitCast(predicate, to: Class.self) }
    return predicate as? Class ?? SubclassedPredicate.make(type, node)
  }

  /// The predicate object of a tree, of the class that Apple's parser would choose.
  static func make(_ node: PredicateNode) -> NSPredicate {
    CompoundWords.setUp
    return switch node {
    case .constant(let value): NSPredicate(value: value)
    case .and: CompoundNodePredicate(.and, node: node)
    case .or: CompoundNodePredicate(.or, node: node)
    case .not: CompoundNodePredicate(.not, node: node)
    case .comparison(let comparison): ComparisonNodePredicate.make(comparison)
    case .block(let block): NSPredicate(block: block.body)
    }
  }
}
