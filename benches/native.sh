#!/usr/bin/env bash
# Executions and events per second of C programs, symmetry off, one processor: fetch-add ×8, TTAS ×5, Treiber ×6.
# GenMC 0.11 does 26,000 executions of fetch-add ×8 and 24,000 graphs of Treiber per second on a machine on which pan
# does 3.0 M transitions per second on Peterson N=4; scale by what pan does here (cargo xtask bench-spin).
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release -p quotient-cli
quotient="${CARGO_TARGET_DIR:-target}/release/quotient"
for program in 'fetch_add 8' 'ttas 5' 'treiber 6'; do
    read -r name n <<<"$program"
    for _ in 1 2 3; do
        "$quotient" check "programs/c/$name.c" "-DN=$n" --symmetry off --leaks off --format json -- -O1 |
            awk -v name="$name ×$n" -F'[:,]' '
                /"executions"/ { complete = $2 } /"blocked"/ { blocked = $2 } /"events"/ { events = $2 }
                /"seconds"/ { seconds = $2 }
                END { printf "%-14s %8d complete %8d given up %10.0f executions/s %6.2f M events/s\n", name, complete,
                      blocked, (complete + blocked) / seconds, events / seconds / 1e6 }'
    done
done
