// error: line 5: expected `}`, found the end of the file
active proctype P()
{
   skip
