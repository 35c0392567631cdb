# Only one process may be between mkdir and rmdir. A directory is made once, whoever tries.
mkdir /shared/lock 2> /dev/null || exit 0
mkdir /shared/critical || exit 1
rmdir /shared/critical
rmdir /shared/lock
