import DataModelFiles
import Testing

@Suite("SHA-2")
struct SHA2Tests {
  @Test("SHA-256 of the standard's messages")
  func standard256() {
    #expect(hex(sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex(sha256("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(hex(sha256(two.utf8)) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test("SHA-512 of the standard's messages")
  func standard512() {
    #expect(
      hex(sha512("abc".utf8))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    #expect(
      hex(sha512([]))
        == "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e")
  }

  @Test(
    "Messages about as long as a block are padded into the right number of blocks",
    arguments: [
      (55, "9f4390f8d30c2dd92ec9f095b65e2b9a"),
      (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f"),
      (63, "7d3e74a05d7db15bce4ad9ec0658ea98"),
      (64, "ffe054fe7ae0cb6dc65c3af9b61d5209"),
      (1000, "41edece42d63e8d9bf515a9ba6932e1c"),
    ])
  func padding256(count: Int, prefix: String) {
    #expect(hex(sha256([UInt8](repeating: 0x61, count: count))).hasPrefix(prefix))
  }

  @Test(
    "Long messages are padded into the right number of SHA-512 blocks",
    arguments: [
      (111, "fa9121c7b32b9e01733d034cfc78cbf6"),
      (112, "c01d080efd492776a1c43bd23dd99d0a"),
      (119, "130396a75cb483f2eee8c56d8a668bb3"),
      (120, "f241de612b01aa2fa3cf01531d2a8e5e"),
      (127, "828613968b501dc00a97e08c73b118aa"),
      (128, "b73d1929aa615934e61a871596b3f3b3"),
      (1000, "67ba5535a46e3f86dbfbed8cbbaf0125"),
    ])
  func padding512(count: Int, prefix: String) {
    #expect(hex(sha512([UInt8](repeating: 0x61, count: count))).hasPrefix(prefix))
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
