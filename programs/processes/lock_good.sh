# A directory is a lock: only one process can make it.
mkdir /shared/lock || exit 0
mkdir /shared/critical || vs fail
rmdir /shared/critical
rmdir /shared/lock
