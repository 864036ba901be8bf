import Foundation

/// One line of the archive: what a station's logger has sent.
public struct ArchiveLine: Equatable, Sendable {
  public var stationCode: String
  public var time: Date
  /// As the sensor gave it, in steps of a sixteenth of a degree; nil where it gave nothing.
  public var celsius: Double?
}

/// A made-up archive: the same lines each time, station after station, one reading every four hours from
/// 2025-01-01 00:00 UTC on.
public struct WeatherArchive: Sequence, Sendable {
  public static let start = Date(timeIntervalSinceReferenceDate: 757_382_400)
  public static let interval: TimeInterval = 4 * 3600

  private static let means = ["KIB": -4.0, "HOR": 3.0, "MWE": 14.0]
  private static let dailyCourse = [-2.0625, -2.9375, -0.1875, 3.3125, 1.8125, -0.6875]

  public let stationCodes: [String]
  public let readingsEach: Int
  /// What is added to each value: a later delivery may be corrected.
  public let correction: Double

  public init(_ stationCodes: [String], readingsEach: Int, correction: Double = 0) {
    self.stationCodes = stationCodes
    self.readingsEach = readingsEach
    self.correction = correction
  }

  public var count: Int { stationCodes.count * readingsEach }

  public static func time(_ index: Int) -> Date { start.addingTimeInterval(interval * Double(index)) }

  public func makeIterator() -> AnyIterator<ArchiveLine> {
    var index = 0
    return AnyIterator {
      guard index < count else { return nil }
      defer { index += 1 }
      return line(index / readingsEach, index % readingsEach)
    }
  }

  private func line(_ station: Int, _ index: Int) -> ArchiveLine {
    let course = Self.dailyCourse[index % Self.dailyCourse.count]
    let mean = Self.means[stationCodes[station]] ?? 0
    return ArchiveLine(
      stationCode: stationCodes[station], time: Self.time(index), celsius: mean + course + correction)
  }
}
