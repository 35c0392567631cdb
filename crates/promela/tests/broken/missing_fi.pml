// error: line 6: `if` without `fi`: found `}`
active proctype P()
{
   if
   :: skip
}
