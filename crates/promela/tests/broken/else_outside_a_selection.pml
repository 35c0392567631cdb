// error: line 5: `else` may stand only first in an option of `if` or `do`
active proctype P()
{
   skip;
   else -> skip
}
