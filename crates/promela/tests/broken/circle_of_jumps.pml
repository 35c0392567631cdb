// error: line 4: control goes in a circle here without a statement
active proctype P()
{
   L: goto L
}
