/// The queue that contexts work on: a private one for each private-queue context; the main queue, which all main-queue
/// contexts share.
///
/// A child asks its parent questions, and holds its own queue while it waits for the answers. A thread that has the
/// parent's queue may be waiting for the child's at that moment: the main thread has saved the parent and calls the
/// child's `performAndWait`, while the child merges that save. So a question is answered by whichever of these comes
/// first:
///
/// 1. the asking thread, if it has the parent's queue already;
/// 2. the asking thread, if no block has the queue or waits for it; but not for the main queue, whose contexts may only
///    be used on the main thread;
/// 3. the queue, when the question's turn comes;
/// 4. the thread that has the queue, while it waits in `performAndWait` for another queue, or asks a question itself
///    from inside such a `performAndWait`.
final class ContextQueue: @unchecked Sendable {
  // `@unchecked Sendable`: what changes is only touched under `lock`.

  static let main = ContextQueue(isMain: true)

  private let isMain: Bool
  private let lock = NSLock()
  /// Held while anything runs on a private queue: a block of Dispatch's, or a question that the asking thread answers.
  private let turn = NSLock()
  /// Dispatch takes a queue's label only when the queue is made. So it is made for the first block, and until then the
  /// context's name, which is the label, may be set.
  // Unchecked, here and below, as the count of `write1` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var made: DispatchQueue?
  /// How many blocks run here, or wait to.
  @exclusivity(unchecked) private var blockCount = 0
  /// Questions that no thread has begun to answer.
  private var questions: [Question] = []
  /// The threads that have this queue and wait for another one.
  private var waiters: [Waiter] = []
  /// Whether contexts of this queue have, or have had, children.
  private var isAsked = false
  /// Whether any such queue exists: 0 or 1. Programs without child contexts stop at this test.
  private static let isAnyAsked = AtomicWord()

  init(isMain: Bool) { self.isMain = isMain }

  func dispatchQueue(label: @autoclosure () -> String?) -> DispatchQueue {
    if isMain { return .main }
    lock.lock()
    defer { lock.unlock() }
    if let made { return made }
    let queue = DispatchQueue(label: label() ?? "NSManagedObjectContext")
    made = queue
    return queue
  }

  /// A context of this queue has got a child.
  func expectQuestions() {
    lock.withLock { isAsked = true }
    ContextQueue.isAnyAsked.value = 1
  }

  // Blocks.

  func async(label: @autoclosure () -> String?, _ block: @escaping () -> Void) {
    let queue = dispatchQueue(label: label())
    beginBlock()
    queue.async {
      self.takingTurn(block)
      self.endBlock()
    }
  }

  /// Runs a block and waits for it. Must not be called on a thread that has the queue.
  func sync(label: @autoclosure () -> String?, _ block: () -> Void) {
    let queue = dispatchQueue(label: label())
    let held = ContextQueue.askedQueuesOfThread
    beginBlock()
    defer { endBlock() }
    if held.isEmpty { return queue.sync { takingTurn(block) } }
    return isMain ? runOnMain(block, answering: held) : runHere(block, on: queue, answering: held)
  }

  private func beginBlock() { lock.withLock { blockCount += 1 } }
  private func endBlock() { lock.withLock { blockCount -= 1 } }

  private func takingTurn(_ block: () -> Void) {
    if isMain { return block() }
    turn.lock()
    defer { turn.unlock() }
    block()
  }

  /// Runs a block on the calling thread while the private queue stands still for it.
  private func runHere(_ block: () -> Void, on queue: DispatchQueue, answering held: [ContextQueue]) {
    let (waiter, finished) = (Waiter(), DispatchSemaphore(value: 0))
    queue.async {
      self.takingTurn {
        waiter.finish()
        finished.wait()
      }
    }
    waiter.wait(answering: held)
    defer { finished.signal() }
    block()
  }

  /// Blocks of the main queue run on its thread.
  private func runOnMain(_ block: () -> Void, answering held: [ContextQueue]) {
    withoutActuallyEscaping(block) { block in
      let task = Question(block)
      DispatchQueue.main.async { task.run() }
      task.waiter.wait(answering: held)
    }
  }

  // Questions.

  /// Has a question answered on this queue and waits for it. Must not be called on a thread that has the queue.
  ///
  /// - Parameter above: the queues of the asked context's parents. A thread that has one of them and asks from further
  ///   below, inside of `performAndWait`, keeps answering questions there.
  func ask<T>(
    label: @autoclosure () -> String?, above: @autoclosure () -> [ContextQueue], _ question: () -> T
  ) -> T {
    if takeFreeTurn() {
      defer { turn.unlock() }
      return question()
    }
    let queue = dispatchQueue(label: label())
    let above = above()
    let held = ContextQueue.askedQueuesOfThread.filter { queue in above.contains { $0 === queue } }
    return withoutActuallyEscaping(question) { question in
      var outcome: T?
      let asked = Question { outcome = question() }
      lock.withLock {
        blockCount += 1
        questions.append(asked)
        waiters.forEach { $0.wake() }
      }
      queue.async {
        if self.takeUp(asked) { self.takingTurn(asked.run) }
        self.endBlock()
      }
      asked.waiter.wait(answering: held)
      return outcome!
    }
  }

  /// Takes the private queue if no block has it or waits for it.
  private func takeFreeTurn() -> Bool {
    !isMain && lock.withLock { blockCount == 0 && turn.try() }
  }

  /// Claims a question for the caller. False if another thread has taken it.
  private func takeUp(_ question: Question) -> Bool {
    lock.withLock {
      guard let index = questions.firstIndex(where: { $0 === question }) else { return false }
      questions.remove(at: index)
      return true
    }
  }

  /// Answers all waiting questions. Called on a thread that has the queue.
  fileprivate func answerQuestions() {
    while let question = lock.withLock({ questions.isEmpty ? nil : questions.removeFirst() }) { question.run() }
  }

  fileprivate func add(_ waiter: Waiter) {
    lock.withLock {
      waiters.append(waiter)
      if !questions.isEmpty { waiter.wake() }
    }
  }

  fileprivate func remove(_ waiter: Waiter) { lock.withLock { waiters.removeAll { $0 === waiter } } }

  /// The queues that the running thread has, and that children may ask.
  private static var askedQueuesOfThread: [ContextQueue] {
    if isAnyAsked.value == 0 { return [] }
    var queues = QueueOwnership.contexts.map(\.contextQueue)
    if QueueOwnership.isMainQueue { queues.append(main) }
    return queues.filter { queue in queue.lock.withLock { queue.isAsked } }
  }
}

/// Lets a thread wait for the end of something, and answer questions meanwhile. Any thread.
private final class Waiter: @unchecked Sendable {
  // `@unchecked Sendable`: `isFinished` is only touched under `lock`.
  private let lock = NSLock()
  private let semaphore = DispatchSemaphore(value: 0)
  private var isFinished = false

  func wake() { semaphore.signal() }

  func finish() {
    lock.withLock { isFinished = true }
    semaphore.signal()
  }

  /// Waits for `finish()`, and answers questions to the queues until then.
  func wait(answering held: [ContextQueue]) {
    for queue in held { queue.add(self) }
    while true {
      semaphore.wait()
      if lock.withLock({ isFinished }) { break }
      held.forEach { $0.answerQuestions() }
    }
    for queue in held { queue.remove(self) }
  }
}

/// Something to run once for a thread that waits for it.
private final class Question: @unchecked Sendable {
  // `@unchecked Sendable`: it belongs to the thread that made it until it runs, and then to the thread that runs it.
  let waiter = Waiter()
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  func run() {
    body?()
    // The block is borrowed from the waiting thread, so nothing may keep it once that thread goes on.
    body = nil
    waiter.finish()
  }
}
