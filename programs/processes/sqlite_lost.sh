# Two processes read a value and write it back plus one: one of them may be lost. The first argument is the directory.
ask() { sqlite3 -init /dev/null "$1/t" "$2"; }
add() { x=$(ask "$1" 'select x from t') && ask "$1" "update t set x = $((x + 1))"; }
add "$1" & child=$!
add "$1"; first=$?
wait $child; second=$?
[ "$(ask "$1" 'select x from t')" -eq $(((first == 0) + (second == 0))) ] || vs fail
