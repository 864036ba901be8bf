# Sourced by the scripts that run tests.

if [ -z "${COREDATA_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
  COREDATA_CORPUS=$(cd ../shared/corpus && pwd)
  export COREDATA_CORPUS
fi

log=$(mktemp)
build_log=$(mktemp)
# Many tests end programs in the middle, which leave their files behind. They are removed with this folder.
files=$(mktemp -d)
trap 'rm -rf "$log" "$log.first" "$build_log" "$files"' EXIT

# Suites that use no rows, and so are the same with and without COREDATA_STRESS.
without_rows='^(DataModelFiles|DataModelCompiler|Model|ModelFiles|Predicate|Inspection|BookText|BookPages|Learning|ModelMacros)Tests\.'
without_rows="$without_rows|^Comparison(Pages)?Tests\.|^MigrationTests\.Inference"

# Suites whose results have to be the same on a server.
fetch_suites='^SQLiteStoreTests\.(FetchAgreement|FetchDictionary|PredicateProperty)'

# `swift test` succeeds even if a filter matches nothing or no test ran, so the log is checked too. Failures are
# repeated at the end, because a failure among two thousand tests is hard to find by scrolling.
run_tests() {
  if ! TMPDIR=$files swift test --disable-xctest "$@" 2>&1 | tee "$log"; then
    {
      echo
      echo "What failed:"
      awk '/^✘ Test .* recorded an issue|^error:|: Fatal error: / { print; shown = 1; next }
        /^↳/ && shown { print; next }
        { shown = 0 }' "$log"
    } >&2
    exit 1
  fi
  if ! grep -Eq 'Test run with [1-9][0-9]* tests?.* passed' "$log"; then
    echo "No test ran. Check the name after --filter." >&2
    exit 1
  fi
}
