internal import CSwiftRuntime
import Foundation

#if canImport(Runtime)
internal import Runtime
#endif

/// The place in a client's sources that a call came from: what a report about a misuse points to.
///
/// Apple's signatures leave no room for `#fileID` and `#line`, so the place is read from the stack: the innermost frame
/// whose function belongs to none of the modules below the client. Its name comes from the symbol table, its line from
/// the debug information, which SwiftPM writes in debug and release builds. A stripped program has neither, so its
/// reports name no place.
///
/// Finding a line takes time that grows with the program, since the runtime's reader walks through the whole line
/// table: a fifth of a second for a program of 35 MB. So only reports ask, and only of programs below
/// ``largestProgram``. Any thread.
struct CallSite: CustomStringConvertible {
  /// The function as the source spells it: `reload()`, `closure #1 in reload()`.
  var function: String
  /// The file's name, without its folder, and the line, counted from 1; nil if the program has no debug information.
  var line: (file: String, number: Int)?
  /// The address that the call returns to. It identifies the place for as long as the program runs.
  var address: String

  /// `RecipeList.swift:42, in reload()`.
  var description: String { (line.map { "\($0.file):\($0.number), in " } ?? "") + function }

  /// The largest program, in bytes of its file, whose lines are looked up.
  static let largestProgram = 96 << 20

  /// The modules that are not a client's.
  private static let modulesBelow: Set<String> = [
    "CoreData", "Dispatch", "Foundation", "FoundationEssentials", "Observation", "Swift", "SwiftData",
    "_Concurrency",
  ]

  /// Held while a file is unmapped.
  static let unmapping = NSLock()

  /// Where the module was called from on this thread; nil if the program's symbols don't say.
  static func ofClient(findsLine: Bool = knowsLines) -> CallSite? {
    #if canImport(Runtime)
    // No more frames than are surely there: the runtime follows frame pointers without looking at where they lead, and
    // code without them, such as the C library's, leaves anything in their place.
    let count = min(core_data_count_frames(), 128)
    guard count > 0, let names = names(of: try? Backtrace.capture(limit: count, top: 0, images: images)) else {
      return nil
    }
    for (depth, frame) in names.frames.enumerated() {
      guard let symbol = frame.symbol, isClients(symbol.rawName) else { continue }
      // Only that frame is looked up, since each one takes a walk through the line table. The stack is captured here,
      // at the depth at which the frames above were counted.
      let one = findsLine ? try? Backtrace.capture(limit: 2, offset: depth, top: 0, images: images) : nil
      return CallSite(function: symbol.name, line: one.flatMap(line), address: "\(frame.captured)")
    }
    #endif
    return nil
  }

  /// Whether this function is found on the stack, by its name.
  static var readsNames: Bool {
    #if canImport(Runtime)
    let count = min(core_data_count_frames(), 16)
    guard count > 0, let names = names(of: try? Backtrace.capture(limit: count, top: 0, images: images)) else {
      return false
    }
    return names.frames.contains { $0.symbol?.name.contains("readsNames") ?? false }
    #else
    return false
    #endif
  }

  #if canImport(Runtime)
  /// Where the program's code is in memory. Looked up once, while no file of a store is unmapped: the runtime looks
  /// for code in every file that is mapped, also in the index of a log, and ends the program if one goes meanwhile.
  private static let images = unmapping.withLock { ImageMap.capture() }

  private static func names(of stack: Backtrace?) -> SymbolicatedBacktrace? {
    stack?.symbolicated(with: images, options: [])
  }

  private static func line(of frame: Backtrace) -> (file: String, number: Int)? {
    let symbol = frame.symbolicated(with: images, options: [.showSourceLocations])?.frames.first?.symbol
    guard let place = symbol?.sourceLocation, place.line > 0, !place.path.contains("@__swiftmacro") else {
      return nil
    }
    return (place.path.split(separator: "/").last.map(String.init) ?? place.path, place.line)
  }
  #endif

  /// Whether the program is small enough to look up a line quickly.
  static let knowsLines: Bool = {
    var status = stat()
    return stat("/proc/self/exe", &status) == 0 && status.st_size <= largestProgram
  }()

  /// Whether a function, by its mangled name, is of a module that is a client's.
  static func isClients(_ symbol: String) -> Bool {
    if symbol == "main" || symbol.hasPrefix("async_Main") { return true }
    guard symbol.hasPrefix("$s"), let text = swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else {
      return false
    }
    defer { free(text) }
    guard let module = module(ofDemangled: String(cString: text)) else { return false }
    return !modulesBelow.contains(module)
  }

  /// `closure #1 () -> () in static App.List.reload() -> ()` -> `App`; of an extension the module that it stands in.
  /// nil for functions of the compiler's own, such as thunks.
  private static func module(ofDemangled text: String) -> String? {
    let marker = "(extension in "
    if let start = text.range(of: marker), let end = text[start.upperBound...].firstIndex(of: ")") {
      return String(text[start.upperBound..<end])
    }
    if text.contains("thunk") { return nil }
    // A private name is written `(name in _0123…)`.
    let plain = text.replacingOccurrences(of: " in _[0-9A-F]+\\)", with: ")", options: .regularExpression)
    var rest = plain[...]
    for word in [" of ", " in "] {
      if let last = rest.range(of: word, options: .backwards) { rest = rest[last.upperBound...] }
    }
    // `App.List.reload() -> ()`, perhaps behind `static`.
    let name = rest.split(separator: " ").first { $0.prefix { $0 != "(" }.contains(".") || $0.contains(".(") } ?? ""
    return name.split(separator: ".").first.map(String.init)
  }
}
