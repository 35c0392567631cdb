# A lock file of lockfile-progs. The first argument is the directory.
lockfile-create --use-pid --retry 0 --lock-name "$1/f.lock" || exit 0
mkdir "$1/critical" || vs fail
rmdir "$1/critical"
lockfile-remove --lock-name "$1/f.lock"
