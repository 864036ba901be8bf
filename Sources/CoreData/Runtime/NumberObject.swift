internal import CSwiftRuntime
import Foundation

/// Makes number objects by writing what Foundation's initializers would write. Those make two objects and a cast, which
/// takes three times the instructions.
///
/// | offset | content |
/// |---|---|
/// | 0 | the object header |
/// | 16 | Foundation's type code, the same for all numbers of a type |
/// | 24 | the number: a sign-extended integer, or the bits of a floating-point number |
///
/// It is used only if Foundation's own objects have this layout. The smallest integers are left to Foundation, which
/// shares their objects.
enum NumberObject {
  private struct Forms {
    let start: UnsafeRawPointer
    var int16: UInt64 = 0
    var int32: UInt64 = 0
    var int64: UInt64 = 0
    var float: UInt64 = 0
    var double: UInt64 = 0
  }

  static var isKnown: Bool { forms != nil }

  /// Nil if Foundation's objects have another layout.
  private static let forms: Forms? = {
    guard RuntimeAssumption.instanceSizes.isMet, ClassMetadata(NSNumber.self).instanceSize == size else { return nil }
    var forms = Forms(start: ClassMetadata(NSNumber.self).start)
    func learn(_ place: WritableKeyPath<Forms, UInt64>, _ samples: [(NSNumber, UInt64)]) -> Bool {
      samples.allSatisfy { number, content in
        withExtendedLifetime(number) {
          let object = UnsafeRawPointer(Unmanaged.passUnretained(number).toOpaque())
          let form = object.load(fromByteOffset: 16, as: UInt64.self)
          if forms[keyPath: place] == 0 { forms[keyPath: place] = form }
          return object.load(as: UnsafeRawPointer.self) == forms.start && form == forms[keyPath: place]
            && object.load(fromByteOffset: 24, as: UInt64.self) == content
        }
      }
    }
    func integers<Number: FixedWidthInteger>(_ numbers: [Number], _ object: (Number) -> NSNumber) -> [(
      NSNumber, UInt64
    )] {
      numbers.map { (object($0), UInt64(bitPattern: Int64($0))) }
    }
    let isAsExpected =
      learn(\.int16, integers([-2, 13, .min, .max]) { NSNumber(value: $0 as Int16) })
      && learn(\.int32, integers([-2, 13, .min, .max]) { NSNumber(value: $0 as Int32) })
      && learn(\.int64, integers([-2, 13, .min, .max]) { NSNumber(value: $0 as Int64) })
      && learn(\.float, [-2.5, 0, 1, 1e30].map { (NSNumber(value: $0 as Float), UInt64($0.bitPattern)) })
      && learn(\.double, [-2.5, 0, 1, 1e300].map { (NSNumber(value: $0 as Double), $0.bitPattern) })
    return isAsExpected ? forms : nil
  }()

  private static let size = 32

  static func int16(_ value: Int16) -> NSNumber {
    guard let forms, !isShared(Int64(value)) else { return NSNumber(value: value) }
    return make(forms, form: forms.int16, content: UInt64(bitPattern: Int64(value)))
  }

  static func int32(_ value: Int32) -> NSNumber {
    guard let forms, !isShared(Int64(value)) else { return NSNumber(value: value) }
    return make(forms, form: forms.int32, content: UInt64(bitPattern: Int64(value)))
  }

  static func int64(_ value: Int64) -> NSNumber {
    guard let forms, !isShared(value) else { return NSNumber(value: value) }
    return make(forms, form: forms.int64, content: UInt64(bitPattern: value))
  }

  static func float(_ value: Float) -> NSNumber {
    // Foundation shares the objects of numbers that aren't finite as well, as doubles.
    guard let forms, value.isFinite else { return NSNumber(value: value) }
    return make(forms, form: forms.float, content: UInt64(value.bitPattern))
  }

  static func double(_ value: Double) -> NSNumber {
    guard let forms else { return NSNumber(value: value) }
    return make(forms, form: forms.double, content: value.bitPattern)
  }

  private static func isShared(_ value: Int64) -> Bool { value &+ 1 < 14 && value >= -1 }

  private static func make(_ forms: Forms, form: UInt64, content: UInt64) -> NSNumber {
    let object = swift_allocObject(forms.start, size, 7)
    object.storeBytes(of: form, toByteOffset: 16, as: UInt64.self)
    object.storeBytes(of: content, toByteOffset: 24, as: UInt64.self)
    return Unmanaged<NSNumber>.fromOpaque(object).takeRetainedValue()
  }
}
