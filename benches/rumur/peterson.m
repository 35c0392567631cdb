-- Peterson's mutual exclusion algorithm for N processes; the Promela twin is models/peterson-scalarset.pml, state by
-- state. Every statement is a rule, and `at` is the next one.

const N: 3;

type
  Pid: scalarset(N);
  Level: 0..N;
  Place: enum { start, climb, raise, announce, again, next, enter, leave, lower };

var
  flag: array[Pid] of Level;            -- the level a process has reached, 0 = not interested
  turn: array[1..N - 1] of Pid;         -- the last process that entered a level
  critical: 0..N;                       -- number of processes in the critical section
  at: array[Pid] of Place;
  k: array[Pid] of Level;
  ok: array[Pid] of boolean;

startstate begin
  for i: Pid do
    flag[i] := 0;
    at[i] := start;
    k[i] := 0;
    ok[i] := false;
  endfor;
  for level := 1 to N - 1 do
    undefine turn[level];
  endfor;
  critical := 0;
endstartstate;

ruleset i: Pid do

  rule "start" at[i] = start ==>
    k[i] := 1;
    at[i] := climb;
  endrule;

  rule "climb" at[i] = climb & k[i] < N ==>
    at[i] := raise;
  endrule;

  rule "arrive" at[i] = climb & k[i] >= N ==>
    at[i] := enter;
  endrule;

  rule "raise" at[i] = raise ==>
    flag[i] := k[i];
    at[i] := announce;
  endrule;

  rule "announce" at[i] = announce ==>
    turn[k[i]] := i;
    at[i] := again;
  endrule;

  rule "again" at[i] = again ==>
    ok[i] := forall j: Pid do i = j | flag[j] < k[i] endforall;
    if ok[i] | turn[k[i]] != i then
      at[i] := next;
    endif;
  endrule;

  rule "next" at[i] = next ==>
    k[i] := k[i] + 1;
    at[i] := climb;
  endrule;

  rule "enter" at[i] = enter ==>
    critical := critical + 1;
    assert critical = 1;
    at[i] := leave;
  endrule;

  rule "leave" at[i] = leave ==>
    critical := critical - 1;
    at[i] := lower;
  endrule;

  rule "lower" at[i] = lower ==>
    flag[i] := 0;
    at[i] := start;
  endrule;

endruleset;
