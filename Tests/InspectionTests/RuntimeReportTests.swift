import Inspection
import Testing

@Suite("inspect --runtime")
struct RuntimeReportTests {
  @Test("Each assumption has a line, and with this version of Swift all are met")
  func whole() {
    let report = RuntimeReport()
    #expect(report.isWhole)
    #expect(report.text.split(separator: "\n").filter { $0.hasPrefix("  yes  ") }.count == 14)
    #expect(report.text.hasSuffix("All of it is so.\n"))
  }
}
