/// SQL as text, with the values of its parameters in the order of the question marks.
struct SQLFragment: Hashable {
  var sql: String
  var bindings: [Binding]

  init(_ sql: String, _ bindings: [Binding] = []) {
    self.sql = sql
    self.bindings = bindings
  }
}
