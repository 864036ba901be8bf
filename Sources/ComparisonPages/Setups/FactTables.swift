import BookPages
import Comparison

/// The facts that are the same on every machine, as tables: the set-ups, the objects that they make, and their queues.
struct FactTables {
  private let report: ComparisonReport

  init(_ report: ComparisonReport) { self.report = report }

  static func chapter(_ info: SetupInfo) -> String {
    info.chapter.map { "chapter \($0)" } ?? info.folder?.escapedForHTML ?? "your own file"
  }

  /// A set-up's name, linked to its code.
  static func link(_ setup: SetupReport) -> String {
    "<a href=\"#code-\(setup.info.id.escapedForHTML)\">\(setup.info.title.escapedForHTML)</a>"
  }

  var setups: String {
    let setups = report.setups.map { setup in
      "<dt>\(Self.link(setup))<small>\(Self.chapter(setup.info))</small></dt><dd>\(setup.info.summary.escapedForHTML)</dd>\n"
    }
    return "<dl class=\"meanings\">\n\(setups.joined())</dl>\n"
  }

  var objects: String {
    let objects = report.setups.first { !$0.objects.isEmpty }?.objects.map(\.object) ?? []
    var table = HTMLTable(
      "Who makes which object", head: ["Set-up", "Lines"] + objects.map { $0.capitalizedFirst.escapedForHTML })
    for setup in report.setups {
      let makers = objects.map { object in setup.objects.first { $0.object == object }?.maker.escapedForHTML }
      table.add([Self.link(setup), setup.codeLines.map(Figures.grouped)] + makers)
    }
    return
      "<p>Lines of the set-up’s own code, without comments and empty lines; and whose code makes each object.</p>\n"
      + table.html
  }

  var contexts: String {
    var table = HTMLTable(
      "Contexts and queues",
      head: ["Set-up", "Contexts that were seen at work", "A fetch finds new rows", "A shown object shows the change"],
      isOfTexts: true)
    for setup in report.setups {
      let contexts = setup.contexts.map { context in
        let queue =
          context.queue == "main queue" ? "the main queue" : context.count == 1 ? "a private queue" : "private queues"
        return "\(context.count) on \(queue): \(context.role)".escapedForHTML
      }
      let visibility = setup.visibility
      let delay = visibility?.delay.map { $0 > 0 ? ", \(Figures.text($0)) ms later" : "" } ?? ""
      table.add([
        Self.link(setup), contexts.joined(separator: "<br>"),
        visibility.map { $0.fetchFindsNewRows ? "as soon as the write returns" : "no" },
        visibility.map { "\($0.changedObject.rawValue)\(delay)".escapedForHTML },
      ])
    }
    return table.html
  }

  /// The counts; empty if none were taken.
  var work: String {
    let measures = report.measures.filter { $0.group == .work }
    guard !measures.isEmpty else { return "" }
    var table = HTMLTable("Counts", head: ["Set-up"] + measures.map { $0.title.capitalizedFirst.escapedForHTML })
    for setup in report.setups {
      table.add([Self.link(setup)] + measures.map { setup.values[$0.id].map { Figures.text($0.median) } })
    }
    let explanations = measures.map {
      "<dt>\($0.title.capitalizedFirst.escapedForHTML)</dt><dd>\($0.explanation.escapedForHTML)</dd>\n"
    }
    return table.html + "<dl class=\"meanings\">\n\(explanations.joined())</dl>\n"
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
