# Two updates of one database at the same time: none that was reported as done is lost. The first argument is the directory.
add() { sqlite3 -init /dev/null "$1/t" 'update t set x = x + 1'; }
add "$1" & child=$!
add "$1"; first=$?
wait $child; second=$?
sum=$(sqlite3 -init /dev/null "$1/t" 'select x from t')
[ "$sum" -eq $(((first == 0) + (second == 0))) ] || vs fail
