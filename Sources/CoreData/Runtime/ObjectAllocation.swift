internal import CSwiftRuntime

/// Allocates an object of `type`, for superclasses of Foundation's that can't be initialised. The superclass's fields
/// are copied from `model`, byte by byte, if there is one; the rest are zeros.
///
/// The fields of `model` must be trivial values, since nothing is retained. Ends the program with a sentence where the
/// compiler's classes are not what `ClassMetadata` says: an object of a wrong size would write over others.
func allocateObject<Object: AnyObject>(_ type: Object.Type, fieldsFrom model: AnyObject? = nil) -> Object {
  guard RuntimeAssumption.instanceSizes.isMet else {
    fatalError(
      "This version of Swift lays out classes in another way than the module CoreData knows: see inspect --runtime.")
  }
  let metadata = ClassMetadata(type)
  let size = metadata.instanceSize
  let object = swift_allocObject(metadata.start, size, metadata.alignmentMask)
  let header = 2 * MemoryLayout<Int>.size
  (object + header).initializeMemory(as: UInt8.self, repeating: 0, count: size - header)
  if let model {
    let modelSize = ClassMetadata(Swift.type(of: model)).instanceSize
    let source = Unmanaged.passUnretained(model).toOpaque()
    (object + header).copyMemory(from: source + header, byteCount: modelSize - header)
  }
  return Unmanaged<Object>.fromOpaque(object).takeRetainedValue()
}
