import BenchmarkWorkload
import Foundation

/// One call of a driver: `driver variant operation size database-path`. What it finds out it prints, one line
/// a figure: `variant<TAB>operation<TAB>milliseconds`, and further lines
/// `variant<TAB>operation.what<TAB>value`.
public struct Run {
  public let variant: String
  public let operation: String
  public let size: Int
  public let path: String

  /// Reads the command line; a wrong one ends the process with status 64 and a line that says how to call it.
  public init() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let size = Int(arguments[3]), size > 0 else {
      fail("usage: \(arguments[0]) variant operation size database-path", status: 64)
    }
    variant = arguments[1]
    operation = arguments[2]
    self.size = size
    path = arguments[4]
  }

  /// Prints a figure of this run.
  public func report(_ name: String? = nil, _ value: some CustomStringConvertible) {
    print(variant, name.map { "\(operation).\($0)" } ?? operation, value.description, separator: "\t")
  }

  /// Runs `body` on the clock and prints how long it took; an error ends the process.
  public func measure(_ body: () throws -> Void) {
    var milliseconds = 0.0
    var failure: (any Error)?
    withoutActuallyEscaping(body) { body in
      var block = MeasuredBlock(body: body)
      milliseconds = withUnsafeMutablePointer(to: &block) { pointer in
        benchmark_measure({ $0!.assumingMemoryBound(to: MeasuredBlock.self).pointee.run() }, pointer)
      }
      failure = block.failure
    }
    if let failure { fail("\(variant) \(operation): \(failure)") }
    report(nil, milliseconds)
  }

  /// Prints the sums of what was read while the clock ran; all drivers must print the same.
  public func report(_ tally: Tally) {
    report("tally", tally.text)
  }

  /// Prints the checksum of what was read; all drivers must print the same.
  public func report(checksum: UInt64) {
    report("checksum", String(checksum, radix: 16))
  }

  /// Ends the process: this driver has no such operation.
  public func unknownOperation() -> Never {
    fail("\(CommandLine.arguments[0]): variant \(variant) has no operation \(operation)", status: 64)
  }
}

private struct MeasuredBlock {
  let body: () throws -> Void
  var failure: (any Error)?

  mutating func run() {
    do { try body() } catch { failure = error }
  }
}

/// Memory at one moment, in bytes.
public struct Memory {
  public let peakResident: Int
  public let heap: Int

  public static func now() -> Memory {
    Memory(peakResident: benchmark_peak_resident_bytes(), heap: benchmark_heap_bytes())
  }
}

/// Ends the process with a sentence on standard error.
public func fail(_ sentence: String, status: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data((sentence + "\n").utf8))
  exit(status)
}
