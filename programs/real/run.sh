#!/usr/bin/env bash
# Checks data structures of Debian packages with small clients: libboost-dev, libreaderwriterqueue-dev,
# libconcurrentqueue-dev, libck-dev, liburcu-dev. Says what is found, how many executions there are, and how long it takes.
set -euo pipefail
cd "$(dirname "$0")"
export TIMEFORMAT='%1R s'

# Concurrency Kit with the compiler's builtins instead of inline assembly. Its loads and stores of pointers are cast to
# pointers to volatile memory, and so are not volatile themselves; here they are what they are meant to be.
ck=$(mktemp -d)
trap 'rm -r "$ck"' EXIT
if [[ -e /usr/include/ck_pr.h ]]; then
    cp -r /usr/include/ck_*.h /usr/include/gcc "$ck"
    sed -i 's/\*(volatile void \*const\*)(target)/*(void *const volatile *)(target)/
            s/\*(volatile void \*\*)target/*(void *volatile *)target/' "$ck/gcc/ck_pr.h"
fi

# Checks a client: its name, options, and behind `--` flags for the compiler.
check() {
    printf '=== %s\n' "$*"
    time quotient check --max-time 60 "$@" | head -n 3 || true
}

# boost's own atomics are inline assembly, which is not instrumented; it can use those of the C++ library.
for client in *.cpp; do
    check "$client" -- -DBOOST_LOCKFREE_FORCE_STD_ATOMIC
done
for model in rc11 tso; do
    # On x86, fences that TSO does not need are left out.
    fences=$([[ $model == tso ]] && echo -DCK_MD_TSO || echo -DCK_MD_RMO)
    for lock in fas cas dec ticket; do
        check ck_spinlock.c "-DLOCK=$lock" --volatile relaxed --memory-model "$model" -- \
            -DCK_USE_CC_BUILTINS=1 "$fences" "-I$ck"
    done
    for client in ck_fifo_spsc.c ck_ring_mpmc.c ck_ring_spsc.c ck_spinlock_mcs.c ck_stack.c; do
        check "$client" --volatile relaxed --memory-model "$model" -- -DCK_USE_CC_BUILTINS=1 "$fences" "-I$ck"
    done
    for client in urcu_*.c; do
        check "$client" --volatile relaxed --memory-model "$model"
    done
done
