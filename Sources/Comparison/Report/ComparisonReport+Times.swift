extension ComparisonReport {
  /// A report with this report's facts and the times, machine and date of another run of the same set-ups.
  ///
  /// - Throws: `ComparisonFailure` if the other report has other set-ups or another amount of work.
  public func takingTimes(from other: ComparisonReport) throws -> ComparisonReport {
    var size = other.workload
    size.rounds = workload.rounds
    guard setups.map(\.info.id) == other.setups.map(\.info.id), size == workload else {
      throw ComparisonFailure(
        "The report is of other set-ups or of other work. Measure again: swift run -c release compare --json")
    }
    var result = self
    (result.machine, result.workload, result.measures) = (other.machine, other.workload, other.measures)
    for (index, timed) in other.setups.enumerated() {
      for measure in other.measures where measure.needsRelease {
        result.setups[index].values[measure.id] = timed.values[measure.id]
      }
      result.setups[index].timeline = timed.timeline
      result.setups[index].visibility?.delay = timed.visibility?.delay
    }
    return result
  }
}
