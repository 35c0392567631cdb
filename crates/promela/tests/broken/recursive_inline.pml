// error: line 2: inline `f` calls itself
inline f() { f() }
active proctype P()
{
   f()
}
