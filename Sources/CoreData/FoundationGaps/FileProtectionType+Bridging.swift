/// Implements `as NSObject`, `as? FileProtectionType` and their kin, as Foundation does on Apple's systems. Programs
/// hand such an object to a store's description.
extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
  public typealias _ObjectiveCType = NSString

  public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout FileProtectionType?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSString, result: inout FileProtectionType?
  ) -> Bool {
    result = _unconditionallyBridgeFromObjectiveC(source)
    return true
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> FileProtectionType {
    FileProtectionType(rawValue: source.map { String($0) } ?? "")
  }
}
