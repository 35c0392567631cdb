# Only one process may be between mkdir and rmdir.
lockfile-create --use-pid --retry 0 --lock-name /shared/lock || exit 0
mkdir /shared/critical || exit 1
rmdir /shared/critical
lockfile-remove --lock-name /shared/lock
