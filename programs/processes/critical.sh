# Only one process at a time may be here.
mkdir /shared/critical || vs fail
rmdir /shared/critical
