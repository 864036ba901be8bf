import Foundation

/// The report that a programmer gets about a misuse that Apple's framework answers with an Objective-C exception.
///
/// It prints as
///
///     Context "library" was used off its queue.
///       Call:  NSManagedObject.setValue(_:forKey: "title") on Book <x-coredata://.../Book/p3>
///       Queue: private queue of "library"; called on the main thread
///       At:    RecipeList.swift:42, in reload()
///     Objects belong to the queue of the context that made them. Wrap the call in
///     `context.perform { ... }`, or pass `objectID` and fetch the object in your own context.
package struct MisuseReport {
  /// What happened, and to whom: one sentence.
  var what: String
  /// The data: label and value, each on a line of its own.
  var facts: [(label: String, value: String)]
  /// How this comes about: a sentence or two.
  var how: String
  /// What to do about it.
  var remedy: String

  package init(_ what: String, facts: [(label: String, value: String)] = [], how: String, remedy: String) {
    self.what = what
    self.facts = facts
    self.how = how
    self.remedy = remedy
  }

  /// The report with the place of the call among its facts.
  func locating(_ site: CallSite?) -> MisuseReport {
    guard let site else { return self }
    var report = self
    report.facts.append(("At", site.description))
    return report
  }

  /// The whole report, several lines, without a newline at its end.
  package var text: String {
    let width = facts.map { $0.label.count }.max() ?? 0
    var lines = [what]
    for fact in facts {
      let gap = String(repeating: " ", count: width - fact.label.count)
      lines.append("  \(fact.label):\(gap) \(fact.value)")
    }
    lines += MisuseReport.wrapped([how, remedy].filter { !$0.isEmpty }.joined(separator: " "))
    return lines.joined(separator: "\n")
  }

  /// Breaks a text into lines of at most 90 characters, at blanks outside of backquotes.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var words: [String] = []
    for word in text.split(separator: " ") {
      if let last = words.last, last.count(where: { $0 == "`" }) % 2 == 1 {
        words[words.count - 1] = "\(last) \(word)"
      } else {
        words.append(String(word))
      }
    }
    for word in words {
      if !line.isEmpty, line.count + 1 + word.count > 90 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

/// Reports a misuse on standard error and ends the program, as an uncaught exception would. The report says where in
/// the client's sources the call came from, if the program can tell.
package func misuse(_ report: @autoclosure () -> MisuseReport, file: StaticString = #file, line: UInt = #line)
  -> Never
{
  fatalError("\n" + report().locating(CallSite.ofClient()).text, file: file, line: line)
}

/// Reports a misuse in one sentence and ends the program.
func misuse(_ sentence: String, file: StaticString = #file, line: UInt = #line) -> Never {
  misuse(MisuseReport(sentence, how: "", remedy: ""), file: file, line: line)
}

/// Reports a misuse on standard error and lets the program go on.
package func warn(_ report: MisuseReport) {
  FileHandle.standardError.write(Data((report.text + "\n").utf8))
}
