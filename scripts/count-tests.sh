#!/usr/bin/env bash
# count-tests.sh LOG: adds up the lines "test result: …" that cargo wrote into LOG and prints "N passed, N failed".
set -euo pipefail

awk '
    # The first word after the colon is "ok." or "FAILED.", then: 12 passed; 0 failed; …
    match($0, /test result: [A-Za-z]+\. [0-9]+ passed; [0-9]+ failed/) {
        split(substr($0, RSTART, RLENGTH), words, " ")
        passed += words[4]
        failed += words[6]
    }
    END { printf "%d passed, %d failed\n", passed, failed }
' "$1"
