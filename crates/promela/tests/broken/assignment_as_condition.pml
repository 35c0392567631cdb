// error: line 5: expected `)`, found `=`
byte x;
active proctype P()
{
   if :: (x = 1) -> skip fi
}
