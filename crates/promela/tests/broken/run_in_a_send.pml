// error: line 6: `run` cannot stand in a message
chan c = [1] of { byte };
proctype Q() { skip }
init
{
   c!run Q()
}
