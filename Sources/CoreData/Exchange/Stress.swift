/// Takes away what makes reading a row again rare, so that tests find code that relies on it: no row is shared, and
/// every object is a fault after each save. On when the environment has `COREDATA_STRESS=1`.
enum Stress {
  static let isOn = ProcessInfo.processInfo.environment["COREDATA_STRESS"] == "1"
}
