// A promise about a global channel is believed in every process: what others ask of it is local to them, too.
chan c = [2] of { byte };
byte g;
active proctype A() { byte x; xr c; c?x; x = x + 1; g = x; c?x; g = x }
active proctype B() { byte y; c!1; c!2; if :: (nempty(c)); y = 2; y = y + 1 :: (nempty(c)); y = 7 fi; g = y }
active proctype C() { g = 1; g = 2 }
