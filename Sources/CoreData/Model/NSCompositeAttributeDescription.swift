internal import DataModelFiles
import Foundation

/// An attribute that groups others; its value is a dictionary from element names to values.
///
///     let (street, city) = (NSAttributeDescription(), NSAttributeDescription())
///     (street.name, street.type) = ("street", .string)
///     (city.name, city.type) = ("city", .string)
///     let address = NSCompositeAttributeDescription()
///     address.name = "address"
///     address.elements = [street, city]
///     let newModel = model.copy() as! NSManagedObjectModel
///     let entity = newModel.entitiesByName["Author"]!
///     entity.properties.append(address)
///     let author = NSManagedObject(entity: entity, insertInto: nil)
///     author.setValue(["city": "Kraków"], forKey: "address")
///     print(author.value(forKeyPath: "address.city") ?? "unknown")  // Kraków
open class NSCompositeAttributeDescription: NSAttributeDescription {
  final var storedElements: [NSAttributeDescription] = []

  /// A composite without elements. Its type is already set.
  public override init() {
    super.init()
    storedAttributeType = .compositeAttributeType
  }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  /// The attributes of the group, composites among them.
  open var elements: [NSAttributeDescription] {
    get { storedElements }
    set {
      willRedefine("elements")
      for element in storedElements where element.owningGroup === self { element.owningGroup = nil }
      setElements(newValue)
    }
  }

  private final func setElements(_ elements: [NSAttributeDescription]) {
    storedElements = elements
    for element in elements { element.owningGroup = self }
  }

  override func blankCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSCompositeAttributeDescription else { return }
    copy.setElements(storedElements.map { $0.copy() as! NSAttributeDescription })
  }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard super.hasSameDetails(as: other), let other = other as? NSCompositeAttributeDescription else { return false }
    return storedElements == other.storedElements
  }

  /// The attributes in the group that are not groups themselves, depth first.
  private final var leaves: [NSAttributeDescription] {
    storedElements.flatMap { ($0 as? NSCompositeAttributeDescription)?.leaves ?? [$0] }
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.composite(
      leaves: leaves.map { ($0.storedName, Array($0.versionHash)) }, modifier: storedVersionHashModifier)
  }
}
