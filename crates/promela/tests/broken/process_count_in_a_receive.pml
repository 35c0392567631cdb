// error: line 5: `_nr_pr` cannot be received into
chan c = [1] of { byte, byte };
active proctype P()
{
   c?0, _nr_pr
}
