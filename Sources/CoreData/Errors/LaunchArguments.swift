/// The `-com.apple.CoreData.…` pairs of the command line.
public enum LaunchArguments {
  /// The command line without the framework's own pairs, for a program that parses the rest.
  public static var withoutCoreData: [String] {
    var rest: [String] = []
    var arguments = CommandLine.arguments.makeIterator()
    while let argument = arguments.next() {
      if argument.hasPrefix("-com.apple.CoreData.") {
        _ = arguments.next()
      } else {
        rest.append(argument)
      }
    }
    return rest
  }

  static func value(for name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.lastIndex(of: "-" + name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }

  static func number(for name: String) -> Int? { value(for: name).flatMap { Int($0) } }
}
