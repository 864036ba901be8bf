import Foundation

/// The most memory that this process has held at once.
public enum PeakMemory {
  /// Peak resident size in bytes; `ru_maxrss` counts in KiB on Linux and in bytes on Apple's systems.
  public static var bytes: Int {
    var usage = rusage()
    #if os(Linux)
    getrusage(numericCast(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
    #else
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #endif
  }
}
