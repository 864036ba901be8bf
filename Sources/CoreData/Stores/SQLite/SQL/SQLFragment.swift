/// A piece of SQL, and the values of its parameters in the order of the question marks.
package struct SQLFragment: Hashable {
  package var sql: String
  package var bindings: [Binding]

  package init(_ sql: String, _ bindings: [Binding] = []) {
    self.sql = sql
    self.bindings = bindings
  }
}
