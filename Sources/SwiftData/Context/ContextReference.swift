/// Leads to a context while it exists. The context's models have it in common, since a reference to the context of each
/// model's own would cost it a weak reference each.
final class ContextReference {
  @exclusivity(unchecked) unowned(unsafe) var context: ModelContext?
}
