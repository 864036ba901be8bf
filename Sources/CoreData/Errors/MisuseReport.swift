import Foundation

/// What a programmer is told when the stack is used in a way that Apple's framework answers with an
/// Objective-C exception.
///
/// It prints as
///
///     Context "library" was used off its queue.
///       Call:  NSManagedObject.setValue(_:forKey: "title") on Book <x-coredata://.../Book/p3>
///       Queue: private queue of "library"; called on the main thread
///     Objects belong to the queue of the context that made them. Wrap the call in
///     `context.perform { ... }`, or pass `objectID` and fetch the object in your own context.
struct MisuseReport {
  /// What happened, and to whom: one sentence.
  var what: String
  /// The data: label and value, each on a line of its own.
  var facts: [(label: String, value: String)]
  /// How this comes about: a sentence or two.
  var how: String
  /// What to do about it.
  var remedy: String

  init(_ what: String, facts: [(label: String, value: String)] = [], how: String, remedy: String) {
    self.what = what
    self.facts = facts
    self.how = how
    self.remedy = remedy
  }

  /// The whole report, several lines, without a newline at its end.
  var text: String {
    let width = facts.map { $0.label.count }.max() ?? 0
    var lines = [what]
    for fact in facts {
      let gap = String(repeating: " ", count: width - fact.label.count)
      lines.append("  \(fact.label):\(gap) \(fact.value)")
    }
    lines += MisuseReport.wrapped([how, remedy].filter { !$0.isEmpty }.joined(separator: " "))
    return lines.joined(separator: "\n")
  }

  /// Breaks a text into lines of at most 90 characters, at blanks.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > 90 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

/// Reports a misuse on standard error and ends the program, as an uncaught exception would.
func misuse(_ report: @autoclosure () -> MisuseReport, file: StaticString = #file, line: UInt = #line)
  -> Never
{
  fatalError("\n" + report().text, file: file, line: line)
}

/// Reports a misuse on standard error and lets the program go on.
func warn(_ report: MisuseReport) {
  FileHandle.standardError.write(Data((report.text + "\n").utf8))
}
