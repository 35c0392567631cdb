# Two files are added to one index at the same time: none that was reported as added is lost. The first argument is the
# repository, which has one file in its index.
cd "$1" || exit 1
git add b & child=$!
git add c; first=$?
wait $child; second=$?
[ "$(git ls-files | wc -l)" -eq $((1 + (first == 0) + (second == 0))) ] || vs fail
