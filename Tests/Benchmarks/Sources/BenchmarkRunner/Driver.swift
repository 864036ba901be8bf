import Foundation

/// Why a benchmark run stops.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Calls the drivers' executables, one process a call.
struct Drivers {
  /// The folder of the executables.
  let folder: URL
  /// Whether to measure processor time instead of wall time.
  var measuresProcessorTime = false

  func isBuilt(_ variant: Variant) -> Bool {
    FileManager.default.isExecutableFile(atPath: executable(variant).path)
  }

  private func executable(_ variant: Variant) -> URL {
    folder.appendingPathComponent(variant.driver)
  }

  /// Runs a driver and returns the lines that it printed, by name: `fetch`, `fetch.checksum` and so on.
  func run(_ variant: Variant, _ operation: String, size: Int, store: URL) throws -> [String: String] {
    try launch(executable(variant), [variant.rawValue, operation, String(size), store.path])
  }

  func hasValgrind() -> Bool {
    (try? launch(URL(fileURLWithPath: "/usr/bin/env"), ["valgrind", "--version"])) != nil
  }

  /// Runs a driver under callgrind and returns how many instructions the timed part took.
  func countInstructions(_ variant: Variant, _ operation: String, size: Int, store: URL) throws -> Int {
    let output = store.deletingPathExtension().appendingPathExtension("callgrind")
    defer { try? FileManager.default.removeItem(at: output) }
    let valgrind = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=\(output.path)", "--log-file=/dev/null",
      "--collect-atstart=no", "--toggle-collect=benchmark_measure",
    ]
    _ = try launch(
      URL(fileURLWithPath: "/usr/bin/env"),
      valgrind + [executable(variant).path, variant.rawValue, operation, String(size), store.path])
    for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("totals: "), let count = Int(line.dropFirst("totals: ".count)), count > 0 {
        return count
      }
    }
    throw BenchmarkFailure("callgrind counted nothing for \(variant.title) \(operation)")
  }

  private func launch(_ executable: URL, _ arguments: [String]) throws -> [String: String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = output
    if measuresProcessorTime {
      var environment = ProcessInfo.processInfo.environment
      environment["BENCHMARK_PROCESSOR_TIME"] = "1"
      process.environment = environment
    }
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkFailure(
        "\(executable.lastPathComponent) \(arguments.joined(separator: " ")) ended with status"
          + " \(process.terminationStatus)")
    }
    var lines: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: "\t")
      if fields.count == 3 { lines[String(fields[1])] = String(fields[2]) }
    }
    return lines
  }
}
