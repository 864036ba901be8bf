import Dispatch
import Foundation

/// Says where code runs, in the two words that matter for a main-queue context.
public enum CurrentQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// True on the main queue, and on the main thread outside of any queue.
  public static var isMain: Bool {
    DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
  }

  public static var name: String { isMain ? "the main queue" : "a background queue" }
}
