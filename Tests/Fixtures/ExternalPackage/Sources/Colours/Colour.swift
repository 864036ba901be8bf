import Foundation

/// The value of a transformable attribute, declared in another module.
public final class Colour: NSObject, NSSecureCoding {
  public static let supportsSecureCoding = true
  public let hue: Int

  public init(hue: Int) { self.hue = hue }

  public required init?(coder: NSCoder) { hue = coder.decodeInteger(forKey: "hue") }
  public func encode(with coder: NSCoder) { coder.encode(hue, forKey: "hue") }
}

public enum Mood: Int16, Sendable {
  case calm
  case wild
}
