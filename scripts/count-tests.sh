#!/usr/bin/env bash
# count-tests.sh LOG: adds up what the test harnesses wrote into LOG and prints "N passed, N failed".
set -euo pipefail

awk '
    # cargo: "test result: ok. 12 passed; 0 failed; …", or FAILED
    match($0, /test result: [A-Za-z]+\. [0-9]+ passed; [0-9]+ failed/) {
        split(substr($0, RSTART, RLENGTH), words, " ")
        passed += words[4]
        failed += words[6]
    }
    # compat-tests: a line of its own, "12 passed, 0 failed"
    /^[0-9]+ passed, [0-9]+ failed$/ {
        passed += $1
        failed += $3
    }
    END { printf "%d passed, %d failed\n", passed, failed }
' "$1"
