import Foundation

/// The results of a fetch as an expression: `FETCH(request, context, countOnly)` in the format language.
///
///     let busy = NSFetchRequestExpression.expression(
///       forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
///       countOnly: false)
///     authors.predicate = NSPredicate(format: "SELF IN %@", busy)
///
/// Its value is the collection of the objects that the request finds, of their ids, or, for dictionaries with one
/// column, of that column's values; or their number. A SQLite store makes a sub-select of it if it can.
public typealias NSFetchRequestExpression = _FetchRequestExpressionType<_PredicateClasses>

/// The `expressionType` of an ``NSFetchRequestExpression``. Foundation on Linux has no number for it, so it is that of
/// function expressions.
public let NSFetchRequestExpressionType: FoundationExpressionType = .function

extension _PredicateClasses {
  /// ``NSFetchRequestExpression``. As other expressions of ours it has no initializer that works: `make` allocates it.
  // Immutable after `make`.
  @available(*, deprecated)
  public final class FetchRequestExpression: NSExpression {
    private final class Content {
      let request: ExpressionNode
      let context: ExpressionNode
      let countOnly: Bool

      init(_ request: ExpressionNode, _ context: ExpressionNode, countOnly: Bool) {
        self.request = request
        self.context = context
        self.countOnly = countOnly
      }
    }

    private var content: Content?

    static func make(
      _ request: ExpressionNode, _ context: ExpressionNode, countOnly: Bool
    ) -> NSFetchRequestExpression {
      let object = allocateObject(NSFetchRequestExpression.self)
      object.content = Content(request, context, countOnly: countOnly)
      return object
    }

    /// Makes an expression for the result of a fetch. The value of `fetch` must be an `NSFetchRequest`, and that of
    /// `context` an `NSManagedObjectContext`, in which the request is executed unless a store makes a sub-select of it.
    /// With `countFlag` the value is a number.
    public class func expression(
      forFetch fetch: FoundationExpression, context: FoundationExpression, countOnly countFlag: Bool
    ) -> FoundationExpression {
      make(ExpressionNode(value: fetch), ExpressionNode(value: context), countOnly: countFlag)
    }

    /// The expression for the fetch request.
    public var requestExpression: FoundationExpression { NodeExpression.make(content!.request) }

    /// The expression for the context.
    public var contextExpression: FoundationExpression { NodeExpression.make(content!.context) }

    /// Whether the value is the number of objects instead of the objects.
    public var isCountOnlyRequest: Bool { content!.countOnly }

    var node: ExpressionNode { .fetch(content!.request, content!.context, countOnly: content!.countOnly) }

    /// The expression in the predicate language.
    public override var description: String { PredicatePrinter.print(node) }
    /// The expression itself: expressions are immutable.
    public override func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether request, context and counting are the same.
    public override func isEqual(_ object: Any?) -> Bool { (object as? NSFetchRequestExpression)?.node == node }
    /// A hash of the request, the context and the counting.
    public override var hash: Int { node.hashValue }
  }
}
