import Foundation

/// Model files as the editor writes them.
enum SourceModel {
  /// Writes an `.xcdatamodel` folder with these elements.
  static func write(_ elements: String, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
      \(elements)
      </model>
      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
  }

  static let shop = """
    <entity name="Item" representedClassName="Item" isAbstract="YES" syncable="YES">
      <attribute name="name" attributeType="String" defaultValueString="new" minValueString="1"/>
      <relationship name="shop" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shop" \
    inverseName="items" inverseEntity="Shop"/>
    </entity>
    <entity name="Toy" parentEntity="Item" syncable="YES">
      <attribute name="price" optional="YES" attributeType="Decimal" elementID="cost"/>
    </entity>
    <entity name="Shop" syncable="YES">
      <relationship name="items" optional="YES" toMany="YES" ordered="YES" deletionRule="Deny" \
    destinationEntity="Item" inverseName="shop" inverseEntity="Item"/>
    </entity>
    <configuration name="Small"><memberEntity name="Shop"/></configuration>
    <fetchRequest name="Cheap" entity="Toy" predicateString="price &lt; 5"/>
    """
}
