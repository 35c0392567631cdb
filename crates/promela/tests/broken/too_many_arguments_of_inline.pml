// error: line 6: inline `set` takes 1 argument, but 2 are given
byte x;
inline set(v) { x = v }
active proctype P()
{
   set(1, 2)
}
