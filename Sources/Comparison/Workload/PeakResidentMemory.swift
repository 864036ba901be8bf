import Foundation

/// The most memory this program has had resident at once.
enum PeakResidentMemory {
  /// Bytes. On Linux not from `getrusage`, which a child process inherits from the process that started it.
  static var bytes: Int {
    #if os(Linux)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    return kilobytes * 1024
    #else
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #endif
  }
}
