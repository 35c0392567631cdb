// error: line 5: a rendezvous channel cannot be polled
chan c = [0] of { byte };
active proctype P()
{
   c?[1] -> skip
}
