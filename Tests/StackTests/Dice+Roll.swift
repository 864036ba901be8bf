import TestDice

extension Dice {
  /// From 0 up to, and without, `sides`.
  mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
