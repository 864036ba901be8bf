import Foundation

/// The most memory that this program has used at one time.
public enum PeakMemory {
  /// Peak resident size in bytes. On Linux not from `getrusage`, which a program inherits from the one that started it.
  public static var bytes: Int {
    #if os(Linux)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
    #else
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #endif
  }
}
