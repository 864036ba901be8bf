import Foundation
import FuzzerEngine

/// The target of this process. Set before the first input, on the one thread that libFuzzer has.
nonisolated(unsafe) var target: (any FuzzTarget)!

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do { try target.run(Array(UnsafeBufferPointer(start: start, count: count))) } catch {
    // An error is what a broken input may lead to. Its words are made, since they are part of the answer.
    _ = (error as NSError).localizedDescription.utf8.count
  }
  return 0
}

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  var dice = Dice(UInt64(seed))
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let changed = target.mutated(input, limit, &dice), changed.count <= limit else {
    return LLVMFuzzerMutate(start, count, limit)
  }
  UnsafeMutableBufferPointer(start: start, count: limit).update(fromContentsOf: changed)
  return changed.count
}
