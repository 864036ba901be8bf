import BookPages

/// Bars with their spread. Only the bars are drawn; everything to read is text of the page, so it doesn't shrink with
/// the screen.
struct BarChart {
  struct Bar {
    /// The bar's name as HTML.
    var name: String
    var median: Double
    var low: Double
    var high: Double
    /// The text behind the bar: the value with its unit.
    var value: String
    /// The text in small type: the spread and the ratio.
    var details: String
    /// Whether the other bars are compared with this one.
    var isReference = false
    /// Whether the bar is this project's.
    var isOurs = false

    fileprivate var attributes: String { isReference ? " class=\"reference\"" : isOurs ? " class=\"ours\"" : "" }
  }

  /// A description for screen readers.
  var label: String
  var bars: [Bar]

  /// - Parameter limit: the value at the right end; nil for the greatest value.
  func html(upTo limit: Double? = nil) -> String {
    let limit = limit ?? bars.map(\.high).max() ?? 1
    let rows = bars.map { bar in
      """
      <tr\(bar.attributes)><th scope="row">\(bar.name)</th>\
      <td class="drawn">\(Self.drawing(bar, limit: limit))</td>\
      <td class="value"><b>\(bar.value.escapedForHTML)</b> <small>\(bar.details.escapedForHTML)</small></td></tr>

      """
    }
    return
      "<table class=\"bars\" aria-label=\"\(label.escapedForHTML)\">\n<tbody>\n\(rows.joined())</tbody>\n</table>\n"
  }

  /// A bar up to the median, and a line from the lowest to the highest value.
  private static func drawing(_ bar: Bar, limit: Double) -> String {
    func place(_ value: Double) -> String { Figures.fixed(limit > 0 ? max(0, min(100, value / limit * 100)) : 0, 2) }
    return """
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">\
      <rect class="bar" x="0" y="1" width="\(place(bar.median))" height="8"/>\
      <path class="spread" vector-effect="non-scaling-stroke" d="M\(place(bar.low)) 5H\(place(bar.high))\
      M\(place(bar.low)) 2.5V7.5M\(place(bar.high)) 2.5V7.5"/></svg>
      """
  }
}
