import DataModelFiles

/// A picture of a model. Entities are boxes with their attributes. Relationships are lines with one bar for "one" and a
/// crow's foot for "many". Arrows lead from an entity to its parent.
///
/// Related boxes stand in neighbouring columns. Lines run between the columns and never through a box. The same model
/// always gives the same picture. Boxes are light and lines are medium grey, so it can be read on white and on black.
public struct Diagram {
  let graph: DiagramGraph
  /// The groups of related boxes, with their positions on the page.
  private(set) var parts: [(layout: DiagramLayout, x: Int, y: Int)] = []
  private(set) var width = 0
  private(set) var height = 0

  static let margin = 24
  private static let spacing = 50
  /// How many lines a picture may have. The time that it takes to place them grows faster than their square, and no eye
  /// can follow more.
  private static let mostLines = 500

  /// - Throws: `InspectionFailure` if the model has too many relationships for a picture.
  public init(_ model: DataModel) throws {
    // Two relationships that are each other's inverses share a line.
    let halves = model.entities.reduce(0) { halves, entity in
      entity.relationships.reduce(halves + (entity.parentName == nil ? 0 : 2)) {
        $0 + ($1.inverseName == nil ? 2 : 1)
      }
    }
    guard halves <= 2 * Self.mostLines else {
      throw InspectionFailure(
        "Can't draw a diagram of the model \(model.name): it has about \(counted(halves / 2, "line")), and a picture has "
          + "room for \(Self.mostLines).")
    }
    graph = DiagramGraph(model)
    let widths = graph.boxes.map(BoxText.width)
    let layouts = graph.groups.map { DiagramLayout(graph, $0, widths: widths) }
    let area = layouts.reduce(0.0) { $0 + Double(($1.width + Self.spacing) * ($1.height + Self.spacing)) }
    let limit = max(layouts.map(\.width).max() ?? 0, Int((area * 1.6).squareRoot()))
    pack(layouts, limit: limit)
  }

  /// Places the groups in rows. A group stands beside the one before if the page's width allows it.
  private mutating func pack(_ layouts: [DiagramLayout], limit: Int) {
    var (x, y, rowHeight) = (0, 0, 0)
    // Groups of several boxes come first, in their order. Single boxes follow, ordered by height so that rows are even.
    let big = layouts.filter { $0.boxes.count > 1 }
    let small = layouts.filter { $0.boxes.count == 1 }.enumerated()
      .sorted { ($1.element.height, $0.offset) < ($0.element.height, $1.offset) }.map(\.element)
    for layout in big + small {
      if x > 0, x + layout.width > limit {
        y += rowHeight + Self.spacing
        (x, rowHeight) = (0, 0)
      }
      parts.append((layout, Self.margin + x, Self.margin + y))
      x += layout.width + Self.spacing
      rowHeight = max(rowHeight, layout.height)
      width = max(width, x - Self.spacing)
    }
    width = max(width, Legend.width) + 2 * Self.margin
    height = y + rowHeight + 2 * Self.margin + Legend.height
  }
}
