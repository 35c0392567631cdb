// error: line 5: proctype `A` has no label `there`
active proctype A() { skip }
active proctype B()
{
   A@there -> skip
}
