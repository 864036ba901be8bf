import Synchronization

/// Maps addresses to numbers. Each property access looks up an address, so this takes no lock and computes no hash.
///
/// Any thread may use it. The object at an address must never be freed, because another object could get its address.
final class AddressTable: @unchecked Sendable {
  // `@unchecked Sendable`: slots are filled under the lock of `entries`. A slot's number is written before its address,
  // and never changes.

  private final class Slots {
    let mask: UInt
    private let addresses: UnsafeMutablePointer<Atomic<UInt>>
    private let numbers: UnsafeMutablePointer<Int>
    /// The slots that these replaced. Another thread may still be reading them, so they live as long as these.
    private let outgrown: Slots?

    /// - Parameter count: a power of two.
    init(count: Int, outgrown: Slots? = nil) {
      self.outgrown = outgrown
      mask = UInt(count - 1)
      addresses = .allocate(capacity: count)
      numbers = .allocate(capacity: count)
      numbers.initialize(repeating: 0, count: count)
      for place in 0..<count { (addresses + place).initialize(to: Atomic(0)) }
    }

    deinit {
      addresses.deallocate()
      numbers.deallocate()
    }

    // Inlined by force for `modelread`, as is the subscript; see CONTRIBUTING.md.
    @inline(__always)
    func number(_ address: UInt) -> Int? {
      // The low four bits of an object's address are zero.
      var place = (address >> 4) & mask
      while true {
        let found = addresses[Int(place)].load(ordering: .acquiring)
        if found == address { return numbers[Int(place)] }
        if found == 0 { return nil }
        place = (place &+ 1) & mask
      }
    }

    func fill(_ address: UInt, _ number: Int) {
      var place = (address >> 4) & mask
      while addresses[Int(place)].load(ordering: .relaxed) != 0 { place = (place &+ 1) & mask }
      numbers[Int(place)] = number
      addresses[Int(place)].store(address, ordering: .releasing)
    }
  }

  /// The current slots. Full ones are replaced by twice as many.
  private let current: Atomic<UnsafeRawPointer>
  private let entries = Mutex<[UInt: Int]>([:])

  init() { current = Atomic(AddressTable.kept(Slots(count: 64))) }

  deinit { Unmanaged<Slots>.fromOpaque(current.load(ordering: .acquiring)).release() }

  private static func kept(_ slots: Slots) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passRetained(slots).toOpaque())
  }

  @inline(__always)
  subscript(address: UInt) -> Int? {
    Unmanaged<Slots>.fromOpaque(current.load(ordering: .acquiring))._withUnsafeGuaranteedRef { $0.number(address) }
  }

  func insert(_ address: UInt, _ number: Int) {
    entries.withLock { entries in
      guard entries.updateValue(number, forKey: address) == nil else { return }
      let slots = Unmanaged<Slots>.fromOpaque(current.load(ordering: .relaxed)).takeUnretainedValue()
      if UInt(entries.count) * 2 <= slots.mask { return slots.fill(address, number) }
      let larger = Slots(count: Int(slots.mask + 1) * 2, outgrown: slots)
      for (address, number) in entries { larger.fill(address, number) }
      current.store(AddressTable.kept(larger), ordering: .releasing)
      Unmanaged.passUnretained(slots).release()
    }
  }
}
