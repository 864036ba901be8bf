/// Leads to a context while it exists. All models of the context share it; a weak reference in each of them would cost
/// more.
final class ContextReference {
  @exclusivity(unchecked) unowned(unsafe) var context: ModelContext?
}
