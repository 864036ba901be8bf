/// The objects of a binary property list ("bplist00"), left in their bytes. A value is decoded only when you ask
/// for it.
///
/// The file is: 8 bytes of magic and version; the objects; a table with each object's offset; a trailer of
/// 32 bytes:
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 6 | unused |
/// | 6 | 1 | size of an entry of the offset table |
/// | 7 | 1 | size of a reference to an object |
/// | 8 | 8 | number of objects |
/// | 16 | 8 | index of the top object |
/// | 24 | 8 | where the offset table begins |
///
/// An object begins with a byte of kind (upper half) and size (lower half). All integers are big-endian.
///
/// `init` checks each object once, so later reads stay within the file and every reference leads to an object in it.
/// A "node" is the index of an object.
package final class PropertyListTable {
  /// The upper half of an object's first byte.
  package enum Kind: UInt8 {
    case constant = 0x0
    case integer = 0x1
    case real = 0x2
    case date = 0x3
    case data = 0x4
    case ascii = 0x5
    case utf16 = 0x6
    case utf8 = 0x7
    case uid = 0x8
    case array = 0xA
    case orderedSet = 0xB
    case set = 0xC
    case dictionary = 0xD
  }

  /// The offset of an object's content, and its number of elements.
  package struct Extent {
    package var start: Int
    package var count: Int
  }

  let nodeCount: Int
  package let top: Int
  let referenceSize: Int
  /// A copy of the file in memory of its own, so that reads need no checks of bounds or uniqueness.
  private let bytes: UnsafeMutableRawBufferPointer
  private let offsets: UnsafeMutableBufferPointer<UInt32>

  /// Throws `PropertyListError`.
  package init(_ content: UnsafeRawBufferPointer) throws {
    guard content.count >= 40, content.starts(with: "bplist0".utf8), content.count < 1 << 31 else {
      throw PropertyListError(description: "the file is not a binary property list")
    }
    let trailer = content.count - 32
    let offsetSize = Int(content[trailer + 6])
    let referenceSize = Int(content[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Self.damaged }
    bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 8)
    bytes.copyBytes(from: content)
    self.referenceSize = referenceSize
    let source = UnsafeRawBufferPointer(bytes)
    let count = Self.number(source, at: trailer + 8, size: 8)
    let start = Self.number(source, at: trailer + 24, size: 8)
    let top = Self.number(source, at: trailer + 16, size: 8)
    guard count <= UInt64(content.count), start <= UInt64(trailer),
      Int(start) + Int(count) * offsetSize <= trailer, top < count
    else {
      bytes.deallocate()
      throw Self.damaged
    }
    nodeCount = Int(count)
    self.top = Int(top)
    offsets = .allocate(capacity: nodeCount)
    // All members are set, so from here on `deinit` frees both buffers.
    for node in 0..<nodeCount {
      let offset = Self.number(source, at: Int(start) + node * offsetSize, size: offsetSize)
      guard offset < start else { throw Self.damaged }
      offsets[node] = UInt32(offset)
    }
    // Objects don't overlap, so all containers together have no more references than fit among the bytes.
    var references = 0
    for node in 0..<nodeCount where !isSound(node, tableStart: Int(start), &references) { throw Self.damaged }
  }

  deinit {
    bytes.deallocate()
    offsets.deallocate()
  }

  /// Whether an object is of a known kind, ends before the table of offsets, and refers to objects only.
  private func isSound(_ node: Int, tableStart: Int, _ references: inout Int) -> Bool {
    let offset = Int(offsets[node])
    let low = Int(bytes[offset] & 0x0F)
    guard let kind = Kind(rawValue: bytes[offset] >> 4) else { return false }
    func ends(_ size: Int) -> Bool { offset + 1 + size <= tableStart }
    switch kind {
    case .constant: return low == 8 || low == 9
    case .integer: return low <= 4 && ends(1 << low)
    case .real: return (low == 2 || low == 3) && ends(1 << low)
    case .date: return low == 3 && ends(8)
    case .uid: return low < 8 && ends(low + 1)
    case .data, .ascii, .utf8, .utf16, .array, .orderedSet, .set, .dictionary:
      if low == 15 {
        let sizes = ends(1) ? bytes[offset + 1] : 0
        guard sizes >> 4 == 1, sizes & 0x0F <= 3, ends(1 + 1 << Int(sizes & 0x0F)) else { return false }
      }
      let extent = extent(of: node)
      let width = kind == .utf16 ? 2 : kind == .dictionary ? 2 * referenceSize : 1
      let isList = kind == .array || kind == .orderedSet || kind == .set
      guard extent.count <= tableStart,
        extent.start + extent.count * (isList ? referenceSize : width) <= tableStart
      else { return false }
      if !isList, kind != .dictionary { return true }
      references += extent.count * (isList ? 1 : 2)
      guard references <= tableStart / referenceSize else { return false }
      for position in 0..<extent.count * (isList ? 1 : 2)
      where reference(extent.start + position * referenceSize) >= nodeCount { return false }
      if kind == .dictionary {
        for position in 0..<extent.count where !isString(reference(extent.start + position * referenceSize)) {
          return false
        }
      }
      return true
    }
  }

  private func isString(_ node: Int) -> Bool {
    (0x5...0x7).contains(bytes[Int(offsets[node])] >> 4)
  }

  // Reading.

  // Inlined by force, as the count of `open` asks for; see CONTRIBUTING.md.
  @inline(__always)
  package func kind(of node: Int) -> Kind {
    // `isSound` has checked it.
    Kind(rawValue: bytes[Int(offsets[node])] >> 4).unsafelyUnwrapped
  }

  /// False for a number or date that is infinite or not a number; true for all other objects.
  func isFinite(_ node: Int) -> Bool {
    let start = Int(offsets[node])
    let source = UnsafeRawBufferPointer(bytes)
    switch (kind(of: node), bytes[start] & 0x0F) {
    case (.real, 2):
      return Float(bitPattern: UInt32(truncatingIfNeeded: Self.number(source, at: start + 1, size: 4))).isFinite
    case (.real, _), (.date, _):
      return Double(bitPattern: Self.number(source, at: start + 1, size: 8)).isFinite
    case (.constant, _), (.integer, _), (.data, _), (.ascii, _), (.utf16, _), (.utf8, _), (.uid, _), (.array, _),
      (.orderedSet, _), (.set, _), (.dictionary, _):
      return true
    }
  }

  /// The content of data, a string or a container. A count of 15 or more follows as an integer object.
  @inline(__always)
  package func extent(of node: Int) -> Extent {
    let offset = Int(offsets[node])
    let low = Int(bytes[offset] & 0x0F)
    if low < 15 { return Extent(start: offset + 1, count: low) }
    let size = 1 << Int(bytes[offset + 1] & 0x0F)
    let count = Self.number(UnsafeRawBufferPointer(bytes), at: offset + 2, size: size)
    return Extent(start: offset + 2 + size, count: Int(min(count, 1 << 31)))
  }

  /// The node that a reference names.
  @inline(__always)
  func reference(_ offset: Int) -> Int {
    if referenceSize == 2 { return Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    return Int(min(Self.number(UnsafeRawBufferPointer(bytes), at: offset, size: referenceSize), 1 << 31))
  }

  /// The node at a position of a container's references; a dictionary has its keys first, then its values.
  @inline(__always)
  package func element(_ position: Int, of extent: Extent) -> Int { reference(extent.start + position * referenceSize) }

  /// The index that a UID holds; nil for other objects.
  @inline(__always)
  package func uid(_ node: Int) -> Int? {
    let offset = Int(offsets[node])
    guard bytes[offset] >> 4 == Kind.uid.rawValue else { return nil }
    let number = Self.number(UnsafeRawBufferPointer(bytes), at: offset + 1, size: Int(bytes[offset] & 0x0F) + 1)
    return Int(min(number, 1 << 31))
  }

  package func isText(_ node: Int, _ text: StaticString) -> Bool {
    guard kind(of: node) == .ascii || kind(of: node) == .utf8 else { return false }
    let extent = extent(of: node)
    guard extent.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<extent.count where bytes[extent.start + index] != text.utf8Start[index] { return false }
    return true
  }

  package func string(_ node: Int) -> String? {
    switch kind(of: node) {
    case .ascii, .utf8: return String(decoding: content(of: node), as: UTF8.self)
    case .utf16:
      let extent = extent(of: node)
      return String(
        decoding: (0..<extent.count).map {
          UInt16(bytes[extent.start + 2 * $0]) << 8 | UInt16(bytes[extent.start + 2 * $0 + 1])
        }, as: UTF16.self)
    default: return nil
    }
  }

  /// The content of data or of a text. It lives as long as the table.
  package func content(of node: Int) -> UnsafeRawBufferPointer {
    let extent = extent(of: node)
    return UnsafeRawBufferPointer(rebasing: bytes[extent.start..<extent.start + (size(of: node) ?? 0)])
  }

  /// The bytes that the content of data or of a text takes, 0 for other values; nil for containers.
  func size(of node: Int) -> Int? {
    switch kind(of: node) {
    case .constant, .integer, .real, .date, .uid: 0
    case .data, .ascii, .utf8: extent(of: node).count
    case .utf16: 2 * extent(of: node).count
    case .array, .orderedSet, .set, .dictionary: nil
    }
  }

  /// A value that holds no others; nil for containers.
  package func scalar(_ node: Int) -> PropertyList? {
    let offset = Int(offsets[node])
    let low = Int(bytes[offset] & 0x0F)
    let source = UnsafeRawBufferPointer(bytes)
    switch kind(of: node) {
    case .constant: return .boolean(low == 9)
    case .integer:
      // 1, 2 and 4 bytes are unsigned, 8 signed, 16 signed with the upper half ignored.
      let size = 1 << low
      let number = Self.number(source, at: offset + 1 + max(0, size - 8), size: min(size, 8))
      return .integer(Int64(bitPattern: number))
    case .real where low == 2:
      return .real(Double(Float(bitPattern: UInt32(Self.number(source, at: offset + 1, size: 4)))))
    case .real: return .real(Double(bitPattern: Self.number(source, at: offset + 1, size: 8)))
    case .date: return .date(Double(bitPattern: Self.number(source, at: offset + 1, size: 8)))
    case .data: return .data(Array(content(of: node)))
    case .ascii, .utf8, .utf16: return string(node).map { .string($0) }
    case .uid: return uid(node).map { .uid($0) }
    case .array, .orderedSet, .set, .dictionary: return nil
    }
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in offset..<offset + size { value = value << 8 | UInt64(bytes[index]) }
    return value
  }

  private static let damaged = PropertyListError(description: "the property list is damaged")
}
