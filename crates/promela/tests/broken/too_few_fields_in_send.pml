// warning: line 5: channel `c` has messages of 2 fields, but this sends 1; that is an error when it is executed
chan c = [1] of { byte, byte };
active proctype P()
{
   c!1
}
