// error: line 5: `empty` cannot be used under `!`: it may stand only alone or under `&&` and `||`
chan c = [1] of { byte };
active proctype P()
{
   !empty(c) -> skip
}
