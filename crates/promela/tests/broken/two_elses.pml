// error: line 6: a selection has at most one `else`
active proctype P()
{
   if
   :: else -> skip
   :: else -> skip
   fi
}
