// With reduction SPIN overlooks that ids of processes are used again: the failing assertion is not found.
init { run f() }
active proctype f() { assert(_pid == 1) }
