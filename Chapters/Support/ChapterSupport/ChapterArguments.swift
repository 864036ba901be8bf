import Foundation

extension ProcessInfo {
  /// The program's own arguments, without its name and without the pairs that Core Data reads.
  ///
  /// `-com.apple.CoreData.SQLDebug 1` and its relatives are read by Core Data wherever they stand on the
  /// command line. A parser that knows its options would refuse them, so they are taken out before it
  /// looks.
  public var chapterArguments: [String] {
    Self.withoutCoreDataPairs(Array(arguments.dropFirst()))
  }

  /// `arguments` without each `-com.apple.CoreData.…` and the value that follows it.
  public static func withoutCoreDataPairs(_ arguments: [String]) -> [String] {
    var kept: [String] = []
    var index = arguments.startIndex
    while index < arguments.endIndex {
      if arguments[index] == "--" {
        return kept + arguments[index...]
      }
      if arguments[index].hasPrefix("-com.apple.CoreData.") {
        index += 2
      } else {
        kept.append(arguments[index])
        index += 1
      }
    }
    return kept
  }
}
