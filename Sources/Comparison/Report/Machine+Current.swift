import Foundation

extension Machine {
  /// Describes this machine now.
  init(date: Date) {
    let info = ProcessInfo.processInfo
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = cpu.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
    var loads = [0.0]
    getloadavg(&loads, 1)
    self.init(
      processor: model ?? "unknown processor", cores: info.activeProcessorCount, memory: Int(info.physicalMemory),
      system: info.operatingSystemVersionString, configuration: ComparisonRun.isReleaseBuild ? "release" : "debug",
      date: date, load: loads[0])
  }
}
