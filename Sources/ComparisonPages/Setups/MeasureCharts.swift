import BookPages
import Comparison

/// A chart for each measure of time. The median is a bar and the rounds' spread a line; both are also text.
struct MeasureCharts {
  private let report: ComparisonReport

  init(_ report: ComparisonReport) { self.report = report }

  /// The charts; empty if no times were measured.
  var html: String {
    let measures = report.measures.filter { measure in
      measure.group == .time && report.setups.contains { $0.values[measure.id] != nil }
    }
    guard !measures.isEmpty else { return "" }
    return """
      <p>A bar is the median of the rounds, the line on it goes from the lowest to the highest. × is the multiple of the \
      best. Where the lines of two bars overlap much, the two can’t be told apart by this run.</p>
      <div class="charts wide">
      \(measures.map(chart).joined())</div>

      """
  }

  private func chart(_ measure: Measure) -> String {
    let bars = report.setups.compactMap { setup -> BarChart.Bar? in
      guard let value = setup.values[measure.id] else { return nil }
      let spread = value.low == value.high ? "" : "\(Figures.text(value.low))–\(Figures.text(value.high))"
      let ratio = report.ratio(of: setup, to: measure).map(Figures.ratio) ?? ""
      return BarChart.Bar(
        name: setup.info.title.escapedForHTML, median: value.median, low: value.low, high: value.high,
        value: [Figures.text(value.median), measure.unit].filter { !$0.isEmpty }.joined(separator: " "),
        details: [spread, ratio].filter { !$0.isEmpty }.joined(separator: ", "))
    }
    return """
      <section class="chart" id="measure-\(measure.id.escapedForHTML)">
      <h3>\(measure.title.capitalizedFirst.escapedForHTML)</h3>
      <p>\(measure.explanation.escapedForHTML) \(measure.isBetterLow ? "Less is better." : "More is better.")</p>
      \(BarChart(label: measure.title, bars: bars).html())</section>

      """
  }
}
