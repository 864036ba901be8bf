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

/// Exchanges the fields that two objects have from a superclass, of which `model` is an object. Each goes on to own
/// what was the other's, so they may be of any kind.
func exchangeFields(of object: AnyObject, with model: AnyObject) {
  let header = 2 * MemoryLayout<Int>.size
  let first = Unmanaged.passUnretained(object).toOpaque()
  let second = Unmanaged.passUnretained(model).toOpaque()
  for place in header..<ClassMetadata(type(of: model)).instanceSize {
    let byte = first.load(fromByteOffset: place, as: UInt8.self)
    first.storeBytes(of: second.load(fromByteOffset: place, as: UInt8.self), toByteOffset: place, as: UInt8.self)
    second.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
  }
  // The fields may be constants, which the optimizer would otherwise read before they are exchanged.
  withExtendedLifetime((object, model)) {}
}
