// A send on a channel that one process has to itself begins a chain.
chan c = [2] of { byte };
byte g;
active proctype A() { byte x; xs c; c!1; x = 1; x = 2; c!2; x = 3; g = x }
active proctype B() { byte y; xr c; c?y; y = y + 1; c?y; y = y + 1; g = y }
