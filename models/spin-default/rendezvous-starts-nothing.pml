// Where there is a rendezvous channel, no send begins a chain, on whatever channel.
chan r = [0] of { byte };
chan c = [2] of { byte };
byte g;
active proctype A() { byte x; atomic { c!1; x = 1; x = x + 2; r!x; x = 4; g = x } }
active proctype B() { byte y; atomic { r?y; y = y + 1; g = y }; c?y; y = y + 1; g = y }
