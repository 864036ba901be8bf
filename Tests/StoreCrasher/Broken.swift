import ArgumentParser
import CoreData
import DataModelFiles
import DurabilitySupport

/// Breaks files and opens them: whatever is in them, there is a result or an error, and no end of the process.
struct Broken: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Breaks files of stores and models in many ways, and opens them.")

  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case sqlite, wal, rows, schema, archives, xml, binary, mom, versionInfo, contents, mapping, cdm
  }

  @Argument(help: "How many broken files of each kind.")
  var count = 1000
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1
  @Option(help: "Only this kind; may be given several times.")
  var kind: [Kind] = []
  @Option(help: "The .xcdatamodeld of the model files.")
  var model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SurfaceTests/Journal.xcdatamodeld").path

  @Option(help: "The .xcmappingmodel of the mapping models, beside the .xcdatamodeld that it is of.")
  var mapping = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/ExternalPackage/Sources/Shelf/Titles.xcmappingmodel").path

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-breaker-\(getpid())", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: place) }
    var isClean = true
    for kind in kind.isEmpty ? Broken.kindsThatExist : kind {
      try isClean = perform(kind, in: place) && isClean
    }
    if !isClean { throw ExitCode(1) }
  }

  private static var kindsThatExist: [Kind] {
    Kind.allCases.filter { kind in
      StoreSetup.Kind(rawValue: kind.rawValue).map(StoreSetup.Kind.thatExist.contains) ?? true
    }
  }

  private func perform(_ kind: Kind, in place: URL) throws -> Bool {
    let (base, log) = (place.appendingPathComponent("base"), place.appendingPathComponent("log"))
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    try BrokenFiles(kind, base).make(model: URL(fileURLWithPath: model), mapping: URL(fileURLWithPath: mapping))
    let sentinel = try Sentinel(in: place)
    let before = try sentinel.state()
    var (next, opened, refused, failed) = (0, 0, 0, 0)
    while next < count {
      try Data().write(to: log)
      let child = try ChildProcess([
        "open-broken", kind.rawValue, "--base", base.path, "--folder", place.appendingPathComponent("try").path,
        "--log", log.path, "--seed", "\(seed)", "--from", "\(next)", "--to", "\(min(count, next + 500))",
      ])
      let end = child.wait()
      var last = ""
      var lastNumber = next - 1
      for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2, let number = Int(words[1]) else { continue }
        switch words[0] {
        case "try": (last, lastNumber) = (words.count > 2 ? words[2] : "", number)
        case "opened": opened += 1
        case "refused": refused += 1
        default:
          failed += 1
          print("\(kind) \(number): \(words.count > 2 ? words[2] : "")")
        }
      }
      if end != .exit(0) {
        failed += 1
        print("\(kind) \(lastNumber): the process ended by \(end): \(last)")
      }
      next = lastNumber + 1
      let after = try sentinel.state()
      if after != before {
        failed += 1
        print(
          "\(kind), before \(next): files beside it were changed: \(Set(after).symmetricDifference(before).sorted())")
        break
      }
    }
    print("\(kind): \(count) broken files, \(opened) opened, \(refused) refused with an error, \(failed) failures.")
    return failed == 0
  }
}

/// Opens broken files one after the other; the log says which one was the last.
struct OpenBroken: ParsableCommand {
  static let configuration = CommandConfiguration(shouldDisplay: false)

  @Argument var kind: Broken.Kind
  @Option var base: String
  @Option var folder: String
  @Option var log: String
  @Option var seed: UInt64
  @Option var from: Int
  @Option var to: Int

  func run() throws {
    let log = SyncedLog(path: log)
    let files = BrokenFiles(kind, URL(fileURLWithPath: folder))
    let originals = try BrokenFiles(kind, URL(fileURLWithPath: base)).contents()
    for number in from..<to {
      alarm(20)
      let damage = try files.restore(originals, seed: seed &* 1_000_003 &+ UInt64(number))
      log.append("try \(number) \(damage)")
      do {
        log.append("\(try files.open() ? "opened" : "refused") \(number)")
      } catch {
        let text = "\(error)".replacingOccurrences(of: "\n", with: " ")
        log.append("bad \(number) \(damage): \(text)")
      }
    }
  }
}
