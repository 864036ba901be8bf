import Foundation

/// Makes a list of C arguments for `NSPredicate(format:arguments:)`, as this function of Foundation's does on Apple's
/// platforms.
///
/// The list is valid until the thread has asked for 64 more; use it at once.
public func getVaList(_ args: [CVarArg]) -> CVaListPointer {
  let made = MadeArgumentList(args)
  let key = "CoreData.getVaList"
  let threadValues = Thread.current.threadDictionary
  var recent = threadValues[key] as? [MadeArgumentList] ?? []
  if recent.count == 64 { recent.removeFirst() }
  recent.append(made)
  threadValues[key] = recent
  return made.list
}

/// A list whose arguments all lie one behind the other in memory, where C puts those that don't fit into registers.
private final class MadeArgumentList {
  private let words: UnsafeMutableBufferPointer<Int>
  private let header: UnsafeMutablePointer<Header>
  /// Strings, dates, collections and the like have no encoding of their own; their objects live as long as the list.
  private let objects: [any CVarArg]

  /// The layout of a `va_list`. On x86-64 a `CVaListPointer` points to it; on arm64 it is the pointer's content.
  private struct Header {
    #if arch(arm64)
    var stack: UnsafeMutablePointer<Int>?
    var generalTop: UnsafeMutablePointer<Int>?
    var vectorTop: UnsafeMutablePointer<Int>?
    var generalOffset: Int32 = 0
    var vectorOffset: Int32 = 0
    #else
    /// Offsets past the six general and the eight vector registers: every argument is in memory.
    var generalOffset: UInt32 = 48
    var vectorOffset: UInt32 = 176
    var stack: UnsafeMutablePointer<Int>?
    var registers: UnsafeMutablePointer<Int>?
    #endif
  }

  init(_ arguments: [CVarArg]) {
    objects = arguments.map { ($0 as? any _CVarArgObject)?._cVarArgObject ?? $0 }
    let encoded = objects.flatMap { $0._cVarArgEncoding }
    words = .allocate(capacity: encoded.count + 1)
    _ = words.initialize(from: encoded + [0])
    header = .allocate(capacity: 1)
    header.initialize(to: Header(stack: words.baseAddress))
  }

  deinit {
    words.deallocate()
    header.deallocate()
  }

  var list: CVaListPointer {
    #if arch(arm64)
    unsafeBitCast(header.pointee, to: CVaListPointer.self)
    #else
    unsafeBitCast(header, to: CVaListPointer.self)
    #endif
  }
}
