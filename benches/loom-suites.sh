#!/usr/bin/env bash
# Runs the loom tests of published crates twice, with loom itself and with quotient-loom, and prints one table: for each
# test and each tool whether it passed, the executions and the seconds. Needs the network for the first run; not part of
# any test suite.
#
#   benches/loom-suites.sh [NAME…]     all suites, or those of these crates
#
#   LOOM_SUITES_DIR=/tmp/loom-suites   where sources, builds and logs go
#   LOOM_SUITES_LIMIT=60               seconds for one model; then it is stopped, and the count is marked ">"
#   LOOM_SUITES_TOOLS="loom quotient"  which tools to run
#
# Each crate is copied from the registry's archive. What changes in the copy is one dependency line, and dev-dependencies
# that only benches use are left out. loom's copy is 0.7.2 for every crate, with three lines added that say how many
# executions there were; both tools search without a bound on preemptions.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=${LOOM_SUITES_DIR:-/tmp/loom-suites}
limit=${LOOM_SUITES_LIMIT:-60}
tools=${LOOM_SUITES_TOOLS:-loom quotient}
loom=0.7.2

# Crate, version, cfg, which tests (a regular expression), how to build them. A crate of which "-" are run is only there
# because another one uses it.
suites='
parking           2.2.1   loom           .        --features loom --test loom
concurrent-queue  2.5.0   loom           .        --features loom --test loom
oneshot           0.2.1   oneshot_loom   .        --features loom,std,async --test loom
left-right        0.11.8  loom           .        --test loom
event-listener    5.4.2   loom           .        --features loom --test loom
haphazard         0.1.8   loom           .        --test loom
crossbeam-utils   0.8.23  crossbeam_loom -
crossbeam-epoch   0.9.21  crossbeam_loom .        --features loom --test loom
cordyceps         0.3.5   loom           loom     --features std --lib
sharded-slab      0.1.7   loom           loom_    --features loom --lib
thingbuf          0.1.6   loom           .        --lib
'

# Lines of the list above, without blank ones.
each_suite() { grep -v '^$' <<<"$suites"; }

# The sources of all suites and of loom, as the registry has them.
fetch() {
    [ -e "$work/vendor" ] && return
    mkdir -p "$work/fetch/src"
    touch "$work/fetch/src/lib.rs"
    {
        printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
        printf 'loom = "=%s"\n' "$loom"
        each_suite | while read -r name version _; do printf '%s = "=%s"\n' "$name" "$version"; done
        printf '\n[workspace]\n'
    } >"$work/fetch/Cargo.toml"
    cargo vendor --quiet --versioned-dirs --manifest-path "$work/fetch/Cargo.toml" "$work/vendor" >/dev/null
}

# loom, saying how many executions there were.
count_loom() {
    cp -r "$work/vendor/loom-$loom" "$work/loom-counted"
    sed -i \
        -e 's|^\( *\)info!(parent: None, "Completed in.*|&\n\1eprintln!("loom: completed in {} executions", i - 1);|' \
        -e 's|^\( *\)if i >= max_permutations {|&\n\1    eprintln!("loom: stopped in {} executions", i);|' \
        -e 's|^\( *\)if start.elapsed() >= max_duration {|&\n\1    eprintln!("loom: stopped in {} executions", i);|' \
        "$work/loom-counted/src/model.rs"
    printf '\n[workspace]\n' >>"$work/loom-counted/Cargo.toml"
}

# Copies a crate, with its dependency on loom replaced by a path.
adapt() { # tool, name, version
    local tool=$1 copy="$work/$1/$2" package=loom path="$work/loom-counted"
    [ -e "$copy" ] && return
    [ "$tool" = quotient ] && package=quotient-loom path="$root/crates/quotient/loom"
    mkdir -p "$work/$tool"
    cp -r "$work/vendor/$2-$3" "$copy"
    rm -f "$copy/Cargo.lock"
    local header='^\[.*dependencies\.loom\(-crate\)\?\]$'
    sed -i \
        -e "/$header/,/^\$/{/^version = /d;/^package = /d}" \
        -e "/$header/a path = \"$path\"\npackage = \"$package\"" \
        -e '/^\[dev-dependencies\.criterion\]$/,/^$/d' \
        -e '/^\[\[bench\]\]$/,/^$/d' \
        "$copy/Cargo.toml"
    {
        printf '\n[workspace]\n\n[patch.crates-io]\n'
        each_suite | while read -r other version _; do
            # Only what is a dependency: cargo warns of patches that are not used.
            if [ "$other" != "$2" ] && grep -q "dependencies\.$other\]" "$copy/Cargo.toml"; then
                adapt "$tool" "$other" "$version"
                printf '%s = { path = "%s" }\n' "$other" "$work/$tool/$other"
            fi
        done
    } >>"$copy/Cargo.toml"
}

# Builds the tests of a crate; prints the name of the executable.
build() { # tool, name, cfg, arguments…
    local tool=$1 name=$2 cfg=$3
    shift 3
    RUSTFLAGS="--cfg $cfg --cap-lints allow" CARGO_TARGET_DIR="$work/target-$tool-$cfg" \
        cargo test --quiet --release --no-run --message-format json --manifest-path "$work/$tool/$name/Cargo.toml" "$@" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1
}

# Runs one test; prints "result executions seconds".
run() { # tool, executable, test, log
    local start=$EPOCHREALTIME status=0 result
    # loom's own log would have a line per execution; its copy counts without it.
    local log=off
    [ "$1" = quotient ] && log=info
    LOOM_LOG=$log LOOM_MAX_DURATION=$limit LOOM_CHECKPOINT_INTERVAL=100 QUOTIENT_LOG=off RUST_BACKTRACE=0 \
        timeout $((limit * 4)) "$2" --exact "$3" --nocapture --test-threads 1 >"$4" 2>&1 || status=$?
    local seconds
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
    case $status in
        0) result=pass ;;
        124) result=timeout ;;
        *) result=FAIL ;;
    esac
    # Both tools say "… in N executions"; quotient-loom adds those that were given up, and says it of a failure as well.
    awk -v result="$result" -v seconds="$seconds" '
        /: (completed|stopped.*) in [0-9]+ executions/ {
            if ($0 ~ /stopped/) more = ">"
            sub(/.* in /, ""); total += $1; known = 1
            if (/given up/) lost += $3
        }
        /^explored so far: / { gsub(/,/, ""); total += $4; lost += $7; known = 1 }
        /^(VIOLATED|INCONCLUSIVE) \(/ { result = tolower($1) $2; gsub(/[():]/, " ", result); sub(/ +$/, "", result); gsub(/ +/, "-", result) }
        END { print result, more (known ? total : "?") (lost ? "+" lost : ""), seconds }' "$4"
}

main() {
    mkdir -p "$work/logs"
    fetch
    [ -e "$work/loom-counted" ] || count_loom
    printf '| crate | test |'
    for tool in $tools; do printf ' %s | executions | seconds |' "$tool"; done
    printf '\n|---|---|'
    for tool in $tools; do printf '%s' '---|--:|--:|'; done
    printf '\n'
    each_suite | while read -r name version cfg pattern arguments; do
        if [ "$pattern" = - ] || { [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; }; then continue; fi
        declare -A executable=()
        for tool in $tools; do
            adapt "$tool" "$name" "$version"
            # shellcheck disable=SC2086 # the arguments are words
            executable[$tool]=$(build "$tool" "$name" "$cfg" $arguments </dev/null)
        done
        "${executable[${tools%% *}]}" --list --format terse 2>/dev/null | sed -n 's/: test$//p' | grep -E "$pattern" |
            while read -r test; do
                printf '| %s %s | %s |' "$name" "$version" "$test"
                for tool in $tools; do
                    read -r result executions seconds < <(run "$tool" "${executable[$tool]}" "$test" "$work/logs/$name-${test//:/_}-$tool")
                    printf ' %s | %s | %s |' "$result" "$executions" "$seconds"
                done
                printf '\n'
            done
    done
}

main "$@"
