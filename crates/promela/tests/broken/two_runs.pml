// error: line 5: more than one `run` in an expression
proctype Q() { skip }
init
{
   (run Q() + run Q()) -> skip
}
