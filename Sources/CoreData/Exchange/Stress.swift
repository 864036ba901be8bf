/// Makes rows be read again as often as possible, so that tests find code that relies on the contrary: no row is
/// shared, and every object is a fault after each save. On if the environment has `COREDATA_STRESS=1`.
enum Stress {
  static let isOn = getenv("COREDATA_STRESS").map { String(cString: $0) } == "1"
}
