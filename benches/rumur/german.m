-- German's directory protocol for cache coherence; the Promela twin is models/german.pml, state by state.
-- A client asks home for a shared or an exclusive copy; home has other copies given up first.

const N: 3;

type
  Client: scalarset(N);
  Line: enum { invalid, shared, exclusive };
  Message: enum { none, ask_shared, ask_exclusive, give_up, given_up, grant_shared, grant_exclusive };

var
  request: array[Client] of Message;    -- client to home
  reply: array[Client] of Message;      -- home to client
  answer: array[Client] of Message;     -- client to home
  cache: array[Client] of Line;
  sharer: array[Client] of boolean;     -- what home knows of copies
  pending: array[Client] of boolean;    -- still to be told to give up
  exclusively: boolean;                 -- the copy there is is exclusive
  command: Message;                     -- what is being served
  current: Client;                      -- for whom

startstate begin
  for c: Client do
    request[c] := none;
    reply[c] := none;
    answer[c] := none;
    cache[c] := invalid;
    sharer[c] := false;
    pending[c] := false;
  endfor;
  exclusively := false;
  command := none;
  undefine current;
endstartstate;

ruleset me: Client do

  rule "ask for a shared copy"
    request[me] = none & cache[me] = invalid
  ==>
    request[me] := ask_shared;
  endrule;

  rule "ask for an exclusive copy"
    request[me] = none & cache[me] != exclusive
  ==>
    request[me] := ask_exclusive;
  endrule;

  rule "give up"
    reply[me] = give_up & answer[me] = none
  ==>
    reply[me] := none;
    answer[me] := given_up;
    cache[me] := invalid;
  endrule;

  rule "get a shared copy"
    reply[me] = grant_shared
  ==>
    reply[me] := none;
    cache[me] := shared;
    assert forall c: Client do cache[c] != exclusive endforall;
  endrule;

  rule "get an exclusive copy"
    reply[me] = grant_exclusive
  ==>
    reply[me] := none;
    cache[me] := exclusive;
    assert forall c: Client do c = me | cache[c] = invalid endforall;
  endrule;

  rule "home takes a request"
    command = none & request[me] != none
  ==>
    command := request[me];
    request[me] := none;
    current := me;
    for c: Client do
      pending[c] := sharer[c];
    endfor;
  endrule;

  rule "home has a copy given up"
    pending[me] & reply[me] = none & (command = ask_exclusive | command = ask_shared & exclusively)
  ==>
    pending[me] := false;
    reply[me] := give_up;
  endrule;

  rule "home hears that a copy is given up"
    command != none & answer[me] = given_up
  ==>
    answer[me] := none;
    sharer[me] := false;
    exclusively := false;
  endrule;

  rule "home grants a shared copy"
    command = ask_shared & current = me & !exclusively & reply[me] = none
  ==>
    reply[me] := grant_shared;
    sharer[me] := true;
    command := none;
    undefine current;
  endrule;

  rule "home grants an exclusive copy"
    command = ask_exclusive & current = me & !exclusively & reply[me] = none
      & forall c: Client do !sharer[c] endforall
  ==>
    reply[me] := grant_exclusive;
    sharer[me] := true;
    exclusively := true;
    command := none;
    undefine current;
  endrule;

endruleset;
