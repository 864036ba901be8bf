import DataModelFiles
import Testing

@Suite("Version hashes")
struct VersionHashTests {
  static func attribute(_ name: String, _ type: UInt32, optional: Bool, transient: Bool = false) -> [UInt8] {
    VersionHash.attribute(
      base: VersionHash.base(name: name, isOptional: optional, isTransient: transient), attributeType: type)
  }

  static let user = VersionHash.entity(
    name: "User", isAbstract: false, superentityHash: nil,
    properties: [
      ("petName", attribute("petName", 700, optional: true)),
      ("name", attribute("name", 700, optional: false)),
    ])

  @Test("A mandatory and an optional String attribute")
  func strings() {
    #expect(
      hex(Self.attribute("name", 700, optional: false))
        == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
    #expect(
      hex(Self.attribute("petName", 700, optional: true))
        == "3600ceedf50b080f90041365395158784f0deb03bc9acddf1cad607c4fe50742")
  }

  @Test("An attribute that is preserved in history")
  func preserved() {
    let base = VersionHash.base(name: "id", isOptional: false, isTransient: false)
    let hash = VersionHash.attribute(base: base, attributeType: 1100, preservesInHistory: true)
    #expect(hex(hash).hasPrefix("3f41bba0910aa0ee"))
  }

  @Test("Transient attributes")
  func transients() {
    let speed = Self.attribute("currentDrivingSpeed", 300, optional: true, transient: true)
    #expect(hex(speed).hasPrefix("ebb767a7f9d02625"))
    let driving = Self.attribute("isDriving", 800, optional: false, transient: true)
    #expect(hex(driving).hasPrefix("126b6a6d7e27f9c7"))
  }

  @Test("A to-many relationship and its to-one inverse")
  func relationships() {
    let cars = VersionHash.relationship(
      base: VersionHash.base(name: "cars", isOptional: true, isTransient: false), destination: "Car",
      inverse: "owner", maxCount: 0, minCount: 0, isOrdered: false)
    #expect(hex(cars).hasPrefix("3c620a49254a65e4"))
    let owner = VersionHash.relationship(
      base: VersionHash.base(name: "owner", isOptional: true, isTransient: false), destination: "Person",
      inverse: "cars", maxCount: 1, minCount: 0, isOrdered: false)
    #expect(hex(owner).hasPrefix("de1c089788a726f3"))
  }

  @Test("Entities: properties are sorted by name")
  func entities() {
    #expect(hex(Self.user) == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
    let event = VersionHash.entity(
      name: "Event", isAbstract: false, superentityHash: nil,
      properties: [("timeStamp", Self.attribute("timeStamp", 900, optional: true))])
    #expect(hex(event) == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
  }

  @Test("A model's checksum and the digest of its hashes")
  func modelValues() {
    #expect(
      VersionHash.modelChecksum([("User", Self.user)]) == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
    #expect(
      VersionHash.hashesDigest([("User", Self.user)])
        == "0KLB/FnL8roMcgeszeCxnPnvYqnn4VzB2DpFP6csqrDKzLB6fyG5rrVfjY5DtnQxx4355oWuKFublPf2Jo1UWg==")
  }
}
