// error: line 7: only sends and receives can stand in a trace
chan c = [1] of { byte };
active proctype P() { c!1 }
trace
{
   c!1;
   assert(true)
}
