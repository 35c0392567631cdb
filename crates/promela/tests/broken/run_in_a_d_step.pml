// error: line 5: `run` cannot be used in a d_step
proctype Q() { skip }
init
{
   d_step { run Q() }
}
