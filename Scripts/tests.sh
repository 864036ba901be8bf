# Sourced by the scripts that run tests.

if [ -z "${COREDATA_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
  COREDATA_CORPUS=$(cd ../shared/corpus && pwd)
  export COREDATA_CORPUS
fi

log=$(mktemp)
build_log=$(mktemp)
# Programs that end in the middle, as many tests want them to, leave their files behind: here they go with the folder.
files=$(mktemp -d)
trap 'rm -rf "$log" "$log.first" "$build_log" "$files"' EXIT

# What no row takes part in: it is the same with and without COREDATA_STRESS.
without_rows='^(DataModelFiles|DataModelCompiler|Model|ModelFiles|Predicate|Inspection|BookText|BookPages|Learning|ModelMacros)Tests\.'
without_rows="$without_rows|^Comparison(Pages)?Tests\.|^MigrationTests\.Inference"

# Whose answers have to be the same on a server.
fetch_suites='^SQLiteStoreTests\.(FetchAgreement|FetchDictionary|PredicateProperty)'

# `swift test` succeeds when a filter matches nothing and when it ran no test at all: so the log is asked too. What failed is
# said again at the end, since a failure among two thousand tests is not found by scrolling.
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
