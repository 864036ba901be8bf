import Foundation

/// Seconds since the beginning of 2001, which programs take to measure how long something took. Foundation on Linux
/// lacks the name.
public typealias CFAbsoluteTime = Double

/// The time now, in seconds since the beginning of 2001.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
