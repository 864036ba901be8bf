# Sourced by the scripts that run tests.

if [ -z "${COREDATA_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
  COREDATA_CORPUS=$(cd ../shared/corpus && pwd)
  export COREDATA_CORPUS
fi

# What the scripts write goes with this folder. Many tests end programs in the middle, which leave their files behind.
work=$(mktemp -d)
log=$work/log
build_log=$work/build
files=$work/files
mkdir "$files"
trap 'rm -rf "$work"' EXIT

# Suites that use no rows, and so are the same with and without COREDATA_STRESS.
without_rows='^(DataModelFiles|DataModelCompiler|Model|ModelFiles|Predicate|Inspection|BookText|BookPages|Learning|ModelMacros)Tests\.'
without_rows="$without_rows|^Comparison(Pages)?Tests\.|^MigrationTests\.Inference"

# Suites whose results have to be the same on a server.
fetch_suites='^SQLiteStoreTests\.(FetchAgreement|FetchDictionary|PredicateProperty)'

# run_tests [--filter NAMES] [--skip NAMES]: runs the tests that are built. It starts the program itself, because `swift
# test` plans the build again, and keeps every other build waiting while the tests run.
#
# A crash can end the output anywhere, so its last line is what counts. Failures are repeated at the end, because a failure
# among two thousand tests is hard to find by scrolling.
run_tests() {
  local program status=0
  # Not through the link `.build/debug`: other builds make it anew at their end.
  program=$(readlink -f .build/debug)/StrataPackageTests.xctest
  NO_COLOR=1 TMPDIR=$files "$program" --testing-library swift-testing "$@" 2>&1 </dev/null |
    tee "$log" | sed '/^◇ Test/d' || status=$?
  if grep -q 'Test run with 0 tests' "$log"; then
    echo "No test ran. Check the name after --filter." >&2
    exit 1
  fi
  if [ "$status" -ne 0 ] || ! grep -Eq 'Test run with [0-9]+ tests?.* passed' "$log"; then
    {
      echo
      echo "What failed (the program ended with $status):"
      awk '/^✘ Test .* recorded an issue|^error:|: Fatal error: / { print; shown = 1; next }
        /^↳/ && shown { print; next }
        { shown = 0 }' "$log"
    } >&2
    exit 1
  fi
}
