internal import CSwiftRuntime

/// Whether uses of a context or its objects off their queue are detected, and what happens then.
///
/// Every public entry asks it first. In debug builds of the module it is on, and reports a use off the queue once for
/// each context and call; `-com.apple.CoreData.ConcurrencyDebug 1` makes it end the program, in every build.
enum ConcurrencyGuard {
  enum Reaction { case report, trap }

  static var isOn: Bool {
    get { core_data_guards_queues }
    set { core_data_guards_queues = newValue }
  }

  /// Switches the guard on if the build or the command line asks for it; called when a context gets its coordinator.
  static let setUp: Void = {
    #if DEBUG
    isOn = true
    #else
    isOn = reaction == .trap
    #endif
  }()

  nonisolated(unsafe) static var reaction: Reaction =
    LaunchArguments.number(for: "com.apple.CoreData.ConcurrencyDebug") ?? 0 > 0 ? .trap : .report
}
