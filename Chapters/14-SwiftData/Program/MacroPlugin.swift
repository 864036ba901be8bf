import ChapterSupport
import Foundation

/// The program that writes what `@Model` stands for, asked as the compiler asks it.
final class MacroPlugin {
  private let process = Process()
  private let (questions, answers) = (Pipe(), Pipe())

  /// Starts it. SwiftPM builds it beside the programs whose sources have macros.
  init() throws {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
    let url = folder.appendingPathComponent("SwiftDataMacros-tool")
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw ChapterFailure("The plugin \(url.path) is not there. Build this program with SwiftPM, which makes it.")
    }
    process.executableURL = url
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
  }

  deinit {
    try? questions.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// What a macro stands for in one of its roles.
  ///
  /// - Parameters:
  ///   - macro: The type's name, as the macro's declaration has it.
  ///   - source: The declaration that the macro is attached to.
  func expansion(of macro: String, as role: String, of source: String, conforming: String = "") throws -> String {
    //> request
    let request: [String: Any] = [
      "expandAttachedMacro": [
        "macro": ["moduleName": "SwiftDataMacros", "typeName": macro],
        "macroRole": role,
        "declSyntax": ["source": source],
        "conformanceListSyntax": ["source": conforming],
        "extendedTypeSyntax": ["source": "Student"],
      ]
    ]
    let answer = try send(request)
    //< request
    let result = answer["expandMacroResult"] as? [String: Any]
    if let problem = (result?["diagnostics"] as? [[String: Any]])?.first?["message"] as? String {
      throw ChapterFailure("The plugin says: \(problem)")
    }
    guard let text = result?["expandedSource"] as? String else {
      throw ChapterFailure("The plugin did not answer as a compiler expects: \(answer)")
    }
    return text
  }

  //> send
  /// Eight bytes of length, the lowest first, then so many bytes of JSON. Answers have the same
  /// form.
  private func send(_ message: [String: Any]) throws -> [String: Any] {
    let body = try JSONSerialization.data(withJSONObject: message)
    let length = withUnsafeBytes(of: UInt64(body.count).littleEndian) { Data($0) }
    try questions.fileHandleForWriting.write(contentsOf: length + body)
    let head = try read(8)
    let count = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let answer = try JSONSerialization.jsonObject(with: read(Int(count)))
    return answer as? [String: Any] ?? [:]
  }
  //< send

  private func read(_ count: Int) throws -> Data {
    var data = Data()
    while data.count < count {
      guard let more = try answers.fileHandleForReading.read(upToCount: count - data.count), !more.isEmpty else {
        throw ChapterFailure("The plugin has ended before its answer did.")
      }
      data += more
    }
    return data
  }
}
