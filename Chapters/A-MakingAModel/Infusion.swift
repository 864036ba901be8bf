import CoreData

/// How a tea is brewed: a value that no type of the model fits.
public final class Infusion: NSObject {
  public let seconds: Int
  public let pours: Int

  public init(seconds: Int, pours: Int) {
    self.seconds = seconds
    self.pours = pours
  }
}

//> transformer
/// Writes an infusion as a short text, such as `90x3`, and reads it.
public final class InfusionTransformer: ValueTransformer {
  public static let name = NSValueTransformerName("Infusion as text")

  public override func transformedValue(_ value: Any?) -> Any? {
    (value as? Infusion).map { Data("\($0.seconds)x\($0.pours)".utf8) }
  }

  public override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    let words = String(decoding: data, as: UTF8.self).split(separator: "x")
    let numbers = words.compactMap { Int($0) }
    return numbers.count == 2 ? Infusion(seconds: numbers[0], pours: numbers[1]) : nil
  }
}
//< transformer

/// A model with one transformable attribute.
public enum BrewingModel {
  public static func make() -> NSManagedObjectModel {
    //> transformable
    let infusion = NSAttributeDescription()
    infusion.name = "infusion"
    infusion.attributeType = .transformableAttributeType
    infusion.valueTransformerName = InfusionTransformer.name.rawValue
    //< transformable
    let cup = NSEntityDescription()
    cup.name = "Cup"
    cup.properties = [infusion]
    let model = NSManagedObjectModel()
    model.entities = [cup]
    return model
  }
}
