/// Runs a block. Linux has no autorelease pools and needs none: sources that use them compile unchanged.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
